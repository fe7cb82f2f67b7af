import type { Row } from "../Row.ts"
import { APP, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { startHello, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const SESSIONS = 1000
const EVENTS = 40
const PAGE = 20
const SECONDS = 3
const CONNECTIONS = 64

/** Pages of 20 events compared with a plain Fastify route that returns the same bytes. */
export const poll: Row = {
  name: "poll",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS)
    await harness.sql`
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
      select ${APP}, s.id, c, 'evt_' || lpad((s.n * 100 + c)::text, 26, '0'), 'message.created', 'character',
        'run_' || lpad(c::text, 26, '0'), 'api',
        '{"text":"A reply of ordinary length, as they come.",'
        '"bubbles":["A reply of ordinary length,","as they come."],"turn_index":1}'
      from unnest(${[...harness.sessions]}::text[]) with ordinality as s(id, n), generate_series(1, ${EVENTS}) c`
    await harness.sql`update session_logs set last_cursor = ${EVENTS}`
    await harness.sql.unsafe("vacuum analyze")
    const server = await startServer(harness.url, "api")
    const headers = { authorization: `Bearer ${harness.key}` }
    const path = () =>
      `/v1/sessions/${harness.sessions[Math.floor(Math.random() * SESSIONS)]}/events?since=${EVENTS - PAGE}` +
      `&limit=${PAGE}`
    const hello = await startHello(await (await fetch(server.baseUrl + path(), { headers })).text())
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const ours = await load({
          baseUrl: server.baseUrl,
          connections: CONNECTIONS,
          seconds: SECONDS,
          method: "GET",
          headers,
          path
        })
        const bare = await load({
          baseUrl: hello.baseUrl,
          connections: CONNECTIONS,
          seconds: SECONDS,
          method: "GET",
          headers,
          path
        })
        raw.push({
          ours_per_s: round(ours.perSecond),
          ours_p50_ms: ours.p50Ms,
          ours_p99_ms: ours.p99Ms,
          errors: ours.errors,
          hello_per_s: round(bare.perSecond)
        })
      }
      const ours = median(raw.map((row) => row["ours_per_s"] ?? Number.NaN))
      const limit = median(raw.map((row) => row["hello_per_s"] ?? Number.NaN))
      return [
        {
          name: "poll",
          what: `pages of ${PAGE} events, ${CONNECTIONS} readers`,
          ours,
          limit,
          unit: "/s",
          ratio: round(ours / limit),
          goal: ">= 0.6",
          reached: ours / limit >= 0.6,
          raw
        }
      ]
    } finally {
      await hello.stop()
      await server.stop()
      await harness.close()
    }
  }
}
