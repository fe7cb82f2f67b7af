import { Agent, request } from "undici"
import type { Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { startServer, startSink } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const SESSIONS = 500
const EVENTS = 20
const DELIVERIES = SESSIONS * EVENTS
/** The courier's limit for one endpoint. */
const CONNECTIONS = 64
const ALLOW = { OUTBOUND_ALLOW: "127.0.0.1" }

const until = async (is: () => Promise<boolean>) => {
  while (!(await is())) await new Promise((resume) => setTimeout(resume, 100))
}

/** Creates a channel of the app to the sink, with a lane from every session. */
const openChannel = async ({ url, sql, key }: BenchHarness, sink: string) => {
  const server = await startServer(url, "api,worker", ALLOW)
  const response = await fetch(`${server.baseUrl}/v1/apps/${APP}/channels`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "webhook", url: sink })
  })
  if (!response.ok) throw new Error(`channel: ${response.status} ${await response.text()}`)
  await until(async () => (await sql`select from lanes`).length === SESSIONS)
  await server.stop()
}

const backlog = async ({ sql, sessions }: BenchHarness) => {
  await sql`truncate events, delivery_attempts`
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select ${APP}, s.id, c, 'evt_' || lpad((s.n * 100 + c)::text, 26, '0'), 'message.created', 'character',
      'run_' || lpad(c::text, 26, '0'), 'api',
      '{"text":"A reply of ordinary length, as they come.",'
      '"bubbles":["A reply of ordinary length,","as they come."],"turn_index":1}'
    from unnest(${[...sessions]}::text[]) with ordinality as s(id, n), generate_series(1, ${EVENTS}) c`
  await sql`update session_logs set last_cursor = ${EVENTS}`
  await sql`update lanes set position = 0,
    head = ${EVENTS}, status = 'ready', due_at = now(), failures = 0, owner = null, sending = null`
  await sql.unsafe("vacuum analyze")
}

/**
 * Deliveries per second from a backlog, by the recorded attempts: from the start of the first to the end of the last.
 */
const ours = async (harness: BenchHarness): Promise<number> => {
  await backlog(harness)
  const { sql } = harness
  const server = await startServer(harness.url, "worker", ALLOW)
  await until(async () => (await sql`select from lanes where position < head limit 1`).length === 0)
  await server.stop()
  const [row] = await sql`
    select count(*) filter (where outcome = 'sent')::int as sent, count(*)::int as attempts,
      extract(epoch from max(started_at + latency_ms * interval '1 millisecond') - min(started_at))::float8 as seconds
        from delivery_attempts`
  if (row!["sent"] !== DELIVERIES || row!["attempts"] !== DELIVERIES)
    throw new Error(`${row!["sent"]} of ${DELIVERIES} sent in ${row!["attempts"]} attempts`)
  return DELIVERIES / row!["seconds"]
}

/** The same number of POSTs of such an event, without signatures and records. */
const bare = async (sink: string, body: string): Promise<number> => {
  const dispatcher = new Agent({ connections: CONNECTIONS })
  const started = performance.now()
  let left = DELIVERIES
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) {
        const response = await request(sink, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          dispatcher
        })
        await response.body.dump()
      }
    })
  )
  const seconds = (performance.now() - started) / 1000
  await dispatcher.close()
  return DELIVERIES / seconds
}

/** An event as a receiver gets it. */
const sample = async (harness: BenchHarness): Promise<string> => {
  const server = await startServer(harness.url, "api")
  const page = (await (
    await fetch(`${server.baseUrl}/v1/sessions/${harness.sessions[0]}/events?since=0&limit=1`, {
      headers: { authorization: `Bearer ${harness.key}` }
    })
  ).json()) as { data: { events: ReadonlyArray<unknown> } }
  await server.stop()
  return JSON.stringify(page.data.events[0])
}

export const webhook: Row = {
  name: "webhook",
  run: async (rounds) => {
    const harness = await startBenchHarness(SESSIONS)
    const sink = await startSink()
    try {
      await openChannel(harness, `${sink.baseUrl}/hook`)
      await backlog(harness)
      const body = await sample(harness)
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++)
        raw.push({
          ours_per_s: round(await ours(harness)),
          bare_per_s: round(await bare(`${sink.baseUrl}/hook`, body))
        })
      const mine = median(raw.map((row) => row["ours_per_s"] ?? Number.NaN))
      const limit = median(raw.map((row) => row["bare_per_s"] ?? Number.NaN))
      return [
        {
          name: "webhook",
          what:
            `deliveries a second out of a backlog of ${DELIVERIES}, attempts recorded, against a loop of POSTs ` +
            `to ` +
            `the same sink`,
          ours: mine,
          limit,
          unit: "/s",
          ratio: round(mine / limit),
          goal: ">= 0.4",
          reached: mine / limit >= 0.4,
          raw
        }
      ]
    } finally {
      await sink.stop()
      await harness.close()
    }
  }
}
