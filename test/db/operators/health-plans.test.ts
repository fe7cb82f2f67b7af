import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Activity } from "#src/db/operators/Activity.ts"
import { Alerts } from "#src/db/operators/Alerts.ts"
import { Disks } from "#src/db/operators/Disks.ts"
import { Health } from "#src/db/operators/Health.ts"
import { Presence } from "#src/db/operators/Presence.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

/** Bots, and rows of the tables that grow. Large enough that the planner prefers an index. */
const BOTS = 5_000
const ROWS = 60_000

let database: TestDatabase
const open = () =>
  ManagedRuntime.make(
    Layer.merge(Health.layer, Activity.layer).pipe(
      Layer.provide(Disks.layer([])),
      Layer.provide(Presence.layer(["api"])),
      Layer.provide(Alerts.layer),
      Layer.provide(LogSignals.layer),
      // One connection, whose statistics can be flushed.
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
    )
  )
let runtime: ReturnType<typeof open>

beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  await sql`insert into apps (app_id, name) select 'app_' || i, 'a' from generate_series(1, 30) i`
  await sql`insert into characters (app_id, slug, version) select app_id, 'c', 1 from apps`
  await sql`insert into channels (app_id, channel_id, kind, endpoint, target)
    select 'app_' || (i % 30 + 1), 'bot_' || i, 'telegram_byo', 'telegram', '{}'
    from generate_series(1, ${BOTS}::int) i`
  await sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, status, user_id)
    select 'app_' || (i % 30 + 1), 'bot_' || i, 'byo', 'c', case when i % 500 = 0 then 'revoked' else 'active' end, i
    from generate_series(1, ${BOTS}::int) i`
  await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status, due_at)
    select 'app_' || (i % ${BOTS}::int % 30 + 1), 'ses_' || i, 'bot_' || (i % ${BOTS}::int), 1, 1, 1,
      case when i % ${BOTS}::int = 7 then 'ready' else 'idle' end, now() - interval '1 hour'
    from generate_series(1, ${ROWS}::int) i`
  await sql`update channels set failing_since = now() - interval '1 hour', consecutive_failures = 3
    where channel_id = 'bot_11'`
  await sql`
    update lanes set status = 'waiting', due_at = now() + interval '1 hour', failures = n % 3,
      planned_at = case when n % 3 = 1 then now() + interval '1 hour' end
    from (
      select session_id, row_number() over (order by session_id) as n from lanes where channel_id = 'bot_11'
    ) w
    where lanes.session_id = w.session_id`
  await sql`insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, started_at)
    select 'app_' || (i % 30 + 1), 'ses_' || i, 'bot_' || (i % ${BOTS}::int + 1), 1, 1, 'evt_' || i,
      case when i % 5000 = 0 then 'unknown' else 'sent' end, now() - (${ROWS}::int - i) * interval '10 seconds'
    from generate_series(1, ${ROWS}::int) i`
  await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, created_at, payload)
    select 'app_' || (i % 30 + 1), 'ses_' || i, 1, 'evt_' || i, 'message.created', 'user', 'run_' || i, 'api',
      now() - (${ROWS}::int - i) * interval '10 seconds', '{}'
    from generate_series(1, ${ROWS}::int) i`
  await sql`insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind,
      hold_micro_usd, outcome)
    select 'app_' || (i % 30 + 1), 'ses_' || i, 1, 'run_' || i, 1, 'fast', 'api', 0, 'replied'
    from generate_series(1, ${ROWS}::int) i`
  await sql`insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at, latency_ms,
      status)
    select 'app_' || (i % 30 + 1), 'ses_' || i, 1, 1, 1, 'generation', 1,
      now() - (${ROWS}::int - i) * interval '10 seconds', 1, 'ok'
    from generate_series(1, ${ROWS}::int) i`
  await sql.unsafe("vacuum analyze")
  runtime = open()
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

/** The tables that grow, and how many of their rows full scans have read so far. */
const scanned = async (): Promise<Readonly<Record<string, number>>> => {
  await runtime.runPromise(
    Database.use(({ query }) => query((sql) => sql`select pg_stat_force_next_flush()`)).pipe(Effect.orDie)
  )
  await runtime.runPromise(Database.use(({ query }) => query((sql) => sql`select 1`)).pipe(Effect.orDie))
  const rows = await database.sql<Array<{ name: string; read: number }>>`
    select relname::text as name, seq_tup_read::int as read from pg_stat_user_tables
    where relname in ('telegram_bots', 'channels', 'lanes', 'delivery_attempts', 'events', 'turns', 'turn_stages')`
  return Object.fromEntries(rows.map(({ name, read }) => [name, read]))
}

it("health reads none of the tables that grow in full, for the server and for one app", async () => {
  const before = await scanned()
  const { problems } = await runtime.runPromise(Health.use((health) => health.ofServer))
  const found = (kind: string) => problems.filter((problem) => problem.kind === kind).length
  assert.strictEqual(found("bot_revoked"), BOTS / 500)
  assert.isAbove(found("lane_old"), 0)
  assert.isAbove(found("deliveries_unknown"), 0)
  const failing = problems.find(({ kind }) => kind === "bot_sends_failing")
  assert.strictEqual(failing?.reach, ROWS / BOTS)
  await runtime.runPromise(Health.use((health) => health.ofApp("app_1")).pipe(Effect.orDie))
  assert.deepStrictEqual(await scanned(), before)
})

it("the count of what has happened reads only what is new", async () => {
  const count = runtime.runPromise(Activity.use((activity) => activity.count).pipe(Effect.orDie))
  await count
  const { sql } = database
  const [counted] = await sql<Array<{ incoming: number }>>`select sum(messages_in)::int as incoming from activity`
  // One message each ten seconds for two days.
  assert.closeTo(counted?.incoming ?? 0, 2 * 8640, 60)
  const before = await scanned()
  await runtime.runPromise(Activity.use((activity) => activity.count).pipe(Effect.orDie))
  const after = await scanned()
  for (const table of ["delivery_attempts", "events", "turns", "lanes"])
    assert.strictEqual(after[table], before[table], table)
})
