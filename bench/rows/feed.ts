import { get } from "node:http"
import postgres from "postgres"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { type Served, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const SESSIONS = 1000
const EVENTS = 100_000
const PAGE = 500
/** Once in each frame. */
const MARK = "\ndata: "

/** Events of many sessions, as many transactions wrote them: 64 in each. */
const fill = async ({ sql, sessions }: BenchHarness) => {
  // Transactions with these numbers have ended.
  await sql`update feed_epochs set shift = ${EVENTS}`
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, feed_position)
    select ${APP}, (${[...sessions]}::text[])[1 + n % ${SESSIONS}], 1 + n / ${SESSIONS},
      'evt_' || lpad(n::text, 26, '0'), 'message.created', 'character', 'run_' || lpad(n::text, 26, '0'), 'api',
      '{"text":"A reply of ordinary length, as they come.",'
      '"bubbles":["A reply of ordinary length,","as they come."],"turn_index":1}', 1 + n / 64
    from generate_series(0, ${EVENTS - 1}) n`
  await sql.unsafe("vacuum analyze")
}

/** One follower: the time until it has all events. */
const follow = ({ baseUrl }: Served, key: string) =>
  new Promise<number>((resolve, reject) => {
    const began = performance.now()
    let heard = 0
    const request = get(`${baseUrl}/v1/events/stream?since=0`, { headers: { authorization: `Bearer ${key}` } })
    request.on("error", reject).on("response", (response) => {
      let rest = ""
      response.setEncoding("latin1").on("data", (part: string) => {
        const text = rest + part
        for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + 1)) heard++
        rest = text.slice(1 - MARK.length)
        if (heard < EVENTS) return
        resolve(performance.now() - began)
        request
          .removeAllListeners("error")
          .on("error", () => {})
          .destroy()
      })
    })
  })

/** The same rows in the same order, read in pages by a client of PostgreSQL. */
const readBare = async (url: string) => {
  const sql = postgres(url, { max: 1 })
  await sql`select 1`
  const began = performance.now()
  let [position, session, cursor] = [0, "", 0]
  for (let heard = 0; heard < EVENTS;) {
    const rows = await sql`
      select feed_position::int as position, session_id, cursor::int, id, type, role, trace_id, source_kind, created_at,
        payload::text
      from events where app_id = ${APP} and (feed_position, session_id, cursor) > (${position}, ${session}, ${cursor})
      order by feed_position, session_id, cursor limit ${PAGE}`
    const last = rows.at(-1)
    heard += rows.length
    position = last?.["position"]
    session = last?.["session_id"]
    cursor = last?.["cursor"]
  }
  const took = performance.now() - began
  await sql.end()
  return took
}

/** One follower of the feed of a whole app compared with a bare read of the same rows. */
export const feed: Row = {
  name: "feed",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS)
    const server = await startServer(harness.url, "api")
    await fill(harness)
    try {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const ours = await follow(server, harness.key)
        const bare = await readBare(harness.url)
        raw.push({
          ours_per_s: round((EVENTS * 1000) / ours),
          bare_per_s: round((EVENTS * 1000) / bare)
        })
      }
      const ours = median(raw.map((row) => row["ours_per_s"] ?? Number.NaN))
      const limit = median(raw.map((row) => row["bare_per_s"] ?? Number.NaN))
      return [
        {
          name: "feed",
          what: "events of all sessions to one follower, against a bare read of the rows",
          ours,
          limit,
          unit: "/s",
          ratio: round(ours / limit),
          goal: ">= 0.5, and 10000/s",
          reached: ours / limit >= 0.5 && ours >= 10_000,
          raw
        }
      ]
    } finally {
      await server.stop()
      await harness.close()
    }
  }
}
