import type { Result, Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { load } from "../support/load.ts"
import { type Served, startServer } from "../support/processes.ts"
import { median, round } from "../support/statistics.ts"

const SESSIONS = 1_000
/** Rows that are older than their retention period. */
const OLD_ATTEMPTS = 1_000_000
const OLD_EVENTS = 1_000_000
const OLD_SESSIONS = 20_000
const CONNECTIONS = 16
const RATE = 50
const SECONDS = 5
/** Loads without a deletion, to compare with. The longest send of each counts, and the median over the loads. */
const QUIET_LOADS = 6
const MOST_MS = 50
const DAYS = 30

const fill = async ({ sql, settle }: BenchHarness) => {
  await sql`insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
    select ${APP}, 'ses_old' || s, 'bench', 'u0', '{}', '{}' from generate_series(1, ${OLD_SESSIONS}::int) s`
  const each = OLD_EVENTS / OLD_SESSIONS
  await sql`insert into session_logs (app_id, session_id, last_cursor)
    select ${APP}, 'ses_old' || s, ${each}::int from generate_series(1, ${OLD_SESSIONS}::int) s`
  await sql`
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, created_at)
    select ${APP}, 'ses_old' || s, c, 'evt_' || s || '_' || c, 'message.created', 'user', 'run_1', 'api',
      '{"text":"A reply of ordinary length, as they come.","turn_index":1}', now() - interval '60 days'
    from generate_series(1, ${OLD_SESSIONS}::int) s, generate_series(1, ${each}::int) c`
  await sql`
    insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, status_code,
      started_at, latency_ms)
    select ${APP}, 'ses_old' || s, 'chn_1', c, 1, 'evt_' || s || '_' || c, 'sent', 200, now() - interval '60 days', 20
    from generate_series(1, ${OLD_SESSIONS}::int) s, generate_series(1, ${OLD_ATTEMPTS / OLD_SESSIONS}::int) c`
  await settle()
}

const send = ({ key, sessions }: BenchHarness, { baseUrl }: Served) =>
  load({
    baseUrl,
    connections: CONNECTIONS,
    seconds: SECONDS,
    rate: RATE,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "hello there, how are you today?" }),
    path: () => `/v1/sessions/${sessions[Math.floor(Math.random() * sessions.length)]}/messages`
  })

const leftOf = async ({ sql }: BenchHarness): Promise<number> => {
  const [row] = await sql<[{ left: number }]>`
    select ((select count(*) from delivery_attempts where started_at < now() - interval '31 days')
      + (select count(*) from events where created_at < now() - interval '31 days'))::int as left`
  return row.left
}

const measure = async (): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(SESSIONS)
  try {
    await fill(harness)
    const server = await startServer(harness.url, "api", {})
    const deleter = await startServer(harness.url, "worker", {
      DELIVERY_RETENTION_DAYS: String(DAYS),
      LOG_RETENTION_DAYS: String(DAYS)
    })
    await send(harness, server)
    const quiet: Array<number> = []
    while (quiet.length < QUIET_LOADS) quiet.push((await send(harness, server)).maxMs)
    const rows = await leftOf(harness)
    const since = performance.now()
    await harness.sql`select graphile_worker.add_job('retain', '{}'::json)`
    const during: Array<number> = []
    do {
      during.push((await send(harness, server)).maxMs)
    } while ((await leftOf(harness)) > 0)
    const seconds = (performance.now() - since) / 1000
    await Promise.all([server.stop(), deleter.stop()])
    const [alone, beside] = [median(quiet), median(during)]
    return [
      {
        name: "retention",
        what: `longest of ${RATE} sends/s in ${SECONDS} s while ${rows} old rows are deleted, less that without`,
        ours: round(beside - alone),
        limit: MOST_MS,
        unit: "ms",
        ratio: round((beside - alone) / MOST_MS),
        goal: "<= 1",
        reached: beside - alone <= MOST_MS,
        raw: [
          ...quiet.map((maxMs) => ({ phase: "quiet", max_ms: maxMs })),
          ...during.map((maxMs) => ({ phase: "deleting", max_ms: maxMs })),
          { phase: "all", rows, seconds: round(seconds) }
        ]
      }
    ]
  } finally {
    await harness.close()
  }
}

/** Whether the nightly deletion of old rows delays messages. */
export const retention: Row = { name: "retention", run: measure }
