import type { Sql } from "postgres"
import type { Result, Row } from "../Row.ts"
import { APP, type BenchHarness, startBenchHarness } from "../support/BenchHarness.ts"
import { cpuMs } from "../support/processorTime.ts"
import { median, round } from "../support/statistics.ts"

const SESSIONS = 20_000
const EVENTS_EACH = 50
const PARTITIONS = 16
const TABLES = { whole: "events_whole", parts: "events_parts" } as const
const PAYLOAD = JSON.stringify({ text: "A reply of ordinary length, as they come.", turn_index: 1 })
const COLUMNS = "app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, feed_position, created_at"

/** Two copies of the log with the same events: one table, and partitions by hash of the session. */
const fill = async ({ sql, settle }: BenchHarness) => {
  await sql.unsafe(`create table ${TABLES.whole} (like events including all)`)
  await sql.unsafe(`create table ${TABLES.parts} (like events including all) partition by hash (session_id)`)
  for (let part = 0; part < PARTITIONS; part++)
    await sql.unsafe(`create table ${TABLES.parts}_${part} partition of ${TABLES.parts}
      for values with (modulus ${PARTITIONS}, remainder ${part})`)
  for (const table of Object.values(TABLES))
    await sql.unsafe(
      `insert into ${table} (${COLUMNS})
      select $1, 'ses_' || s, c, 'evt_' || lpad((c * 1000000 + s)::text, 26, '0'), 'message.created', 'user', 'run_1',
        'api', $2::text::json, c * 1000000 + s, now()
      from generate_series(1, ${SESSIONS}) s, generate_series(1, ${EVENTS_EACH}) c order by c, s`,
      [APP, PAYLOAD]
    )
  await settle()
}

type Statement = (sql: Sql, table: string, n: number) => Promise<unknown>
const sessionOf = (n: number): string => `ses_${1 + ((n * 7919) % SESSIONS)}`

const STATEMENTS: Readonly<Record<string, { readonly times: number; readonly run: Statement }>> = {
  "append an event": {
    times: 5_000,
    run: (sql, table, n) =>
      sql.unsafe(
        `insert into ${table} (${COLUMNS})
        values ($1, $2, $3::bigint, $4, 'message.created', 'user', 'run_1', 'api', $5::text::json, $6::bigint, now())`,
        [APP, sessionOf(n), EVENTS_EACH + 1 + n, `evt_${n}`, PAYLOAD, 1_000_000_000 + n],
        { prepare: true }
      )
  },
  "read a page of a session": {
    times: 5_000,
    run: (sql, table, n) =>
      sql.unsafe(
        `select cursor, id, type, role, created_at, payload from ${table}
        where app_id = $1 and session_id = $2 and cursor > $3 order by cursor limit 20`,
        [APP, sessionOf(n), EVENTS_EACH / 2],
        { prepare: true }
      )
  },
  "read a page of the feed": {
    times: 1_000,
    run: (sql, table, n) =>
      sql.unsafe(
        `select feed_position, session_id, cursor, payload from ${table}
        where app_id = $1 and (feed_position, session_id, cursor) > ($2::bigint, '', 0)
        order by feed_position, session_id, cursor limit 200`,
        [APP, 1_000_000 * (1 + (n % (EVENTS_EACH - 1)))],
        { prepare: true }
      )
  }
}

/** Processor time of PostgreSQL for one statement, in microseconds. */
const measure = async (sql: Sql, table: string, { times, run }: (typeof STATEMENTS)[string], from: number) => {
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  const before = cpuMs(pid)
  for (let n = 0; n < times; n++) await run(sql, table, from + n)
  return ((cpuMs(pid) - before) * 1000) / times
}

const results = async (rounds: number): Promise<ReadonlyArray<Result>> => {
  const harness = await startBenchHarness(0)
  const sql = await harness.sql.reserve()
  try {
    await fill(harness)
    const found: Array<Result> = []
    for (const [what, statement] of Object.entries(STATEMENTS)) {
      const raw: Array<Record<string, number>> = []
      for (let n = 0; n < rounds; n++) {
        const from = n * statement.times
        const whole = await measure(sql, TABLES.whole, statement, from)
        const parts = await measure(sql, TABLES.parts, statement, from)
        raw.push({ whole_us: round(whole), parts_us: round(parts), ratio: parts / whole })
      }
      const of = (field: string) => median(raw.map((row) => row[field] ?? Number.NaN))
      found.push({
        name: "partitions",
        what: `${what}: ${PARTITIONS} partitions by hash of the session, against one table`,
        ours: of("parts_us"),
        limit: of("whole_us"),
        unit: "us of CPU",
        ratio: round(of("ratio")),
        goal: "<= 1",
        reached: of("ratio") <= 1,
        raw
      })
    }
    return found
  } finally {
    sql.release()
    await harness.close()
  }
}

/** Whether partitions of the log would pay. Today it is one table. */
export const partitions: Row = { name: "partitions", run: results }
