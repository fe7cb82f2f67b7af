import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { AppHealth } from "#src/db/operators/AppHealth.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { Updates } from "#src/db/telegram/Updates.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let runtime: ManagedRuntime.ManagedRuntime<AppHealth | TelegramSuspensions | ManagerUpdates | Updates, unknown>

const layered = () =>
  ManagedRuntime.make(
    Layer.mergeAll(AppHealth.layer, TelegramSuspensions.layer, ManagerUpdates.layer, Updates.layer).pipe(
      Layer.provide(LogSignals.layer),
      Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 12 }))
    )
  )

beforeEach(async () => {
  database = await createTestDatabase()
  runtime = layered()
  const { sql } = database
  await sql`insert into apps (app_id, name) values ('app_a', 'a')`
  await sql`insert into workers (worker_id) values ('wrk_1')`
  await sql`insert into characters (app_id, slug, version) values ('app_a', 'iris', 1)`
  await sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, status, join_window_ms)
    values ('app_a', 'bot_1', 'byo', 'iris', 'active', 0)`
})
afterEach(async () => {
  await runtime.dispose()
  await database.drop()
})

const holds = <A, E>(use: (holds: TelegramSuspensions["Service"]) => Effect.Effect<A, E>) =>
  runtime.runPromise(TelegramSuspensions.use(use))
const arrives = (updateId: number) => database.sql`
  insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, raw)
    values ('app_a', 'bot_1', ${updateId}, 'text', 7, '{}')`
/** The updates that a claim takes, one by one, each completed before the next. */
const claim = async (except: ReadonlyArray<string> = []) =>
  (await runtime.runPromise(Updates.use((updates) => updates.claim("wrk_1", except)))).batches.flatMap((batch) =>
    batch.map((update) => update.update_id)
  )
const done = () => database.sql`update telegram_updates set done_at = now(), owner = null where owner is not null`
const aside = async () =>
  (
    await database.sql`
      select update_id::int from telegram_updates where done_at is null and due_at = 'infinity' order by 1`
  ).map((row) => row["update_id"])
const waitingForLocks = (count: number) =>
  until(
    `${count} to wait for a lock`,
    async () =>
      (
        await database.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length === count
  )

/** Ends the connections of the product, which report what they have read and written before they do. */
const leave = async () => {
  await runtime.dispose()
  await until(
    "the connections to end",
    async () =>
      (
        await database.sql`
          select from pg_stat_activity where datname = current_database() and application_name like 'troupe%'`
      ).length === 0
  )
}

describe("a claim", () => {
  it("takes chats of each app and of each bot in turn, and none of a bot that has enough in progress", async () => {
    const { sql } = database
    await sql`insert into apps (app_id, name) values ('app_b', 'b')`
    await sql`insert into characters (app_id, slug, version) values ('app_b', 'iris', 1)`
    await sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, status, join_window_ms)
      values ('app_a', 'bot_2', 'byo', 'iris', 'active', 0), ('app_b', 'bot_3', 'byo', 'iris', 'active', 0)`
    // The longer a chat waits, the lower its number.
    const arrive = (app: string, bot: string, from: number, to: number) => sql`
      insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, raw, received_at)
      select ${app}, ${bot}, n, 'text', n, '{}', now() + n * interval '1 millisecond'
        from generate_series(${from}::int, ${to}::int) n`
    await arrive("app_a", "bot_1", 1, 200)
    await arrive("app_a", "bot_2", 201, 203)
    await arrive("app_b", "bot_3", 204, 206)
    const first = await claim()
    assert.lengthOf(first, 64)
    assert.includeMembers(first, [1, 201, 202, 203, 204, 205, 206])
    await arrive("app_b", "bot_3", 207, 207)
    assert.deepStrictEqual(await claim(["bot_1"]), [207])
    assert.lengthOf(await claim(), 64)
  })
})

describe("a hold", () => {
  it("keeps its start when its reason is changed", async () => {
    const { sql } = database
    await holds((h) => h.suspend(null, "first"))
    await arrives(1)
    await sql.unsafe(`
      create function wait_here() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return \
new; end';
      create trigger wait_here after update on telegram_holds for each row execute function wait_here()`)
    let changing: Promise<boolean> | undefined
    await sql.begin(async (held) => {
      await held`select pg_advisory_xact_lock(1)`
      changing = holds((h) => h.suspend(null, "second"))
      await waitingForLocks(1)
      assert.deepStrictEqual(await claim(), [])
      assert.deepStrictEqual(await aside(), [1])
    })
    assert.isFalse(await changing)
    assert.strictEqual((await holds((h) => h.list))[0]?.reason, "second")
  })
})

describe("a release", () => {
  it("affects only the updates of its own app", async () => {
    const { sql } = database
    await sql`insert into apps (app_id, name) values ('app_b', 'b')`
    await sql`insert into characters (app_id, slug, version) values ('app_b', 'iris', 1)`
    await sql`insert into telegram_bots (app_id, channel_id, mode, character_slug, status) select 'app_b',
      'bot_b' || n, 'byo', 'iris', 'suspended' from generate_series(1, 2000) n`
    await sql`insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
      select 'app_b', 'bot_b' || n, n, 'private', 'ses_b' || n, 'tg:' || n from generate_series(1, 2000) n`
    await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status) select 'app_b',
      'ses_b' || n, 'bot_b' || n, 1, 0, 1, 'parked' from generate_series(1, 2000) n`
    await sql`insert into relationships (app_id, session_id, initiate_at) select 'app_b', 'ses_b' || n, 'infinity'
      from generate_series(1, 2000) n`
    await sql`insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, due_at, raw) select 'app_b',
      'bot_b' || n, n, 'text', n, 'infinity', '{}' from generate_series(1, 2000) n`
    await sql`insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
      values ('app_a', 'bot_1', 7, 'private', 'ses_a', 'tg:7')`
    await sql`insert into lanes (app_id, session_id, channel_id, generation, position, head, status) values ('app_a',
      'ses_a', 'bot_1', 1, 0, 1, 'parked')`
    await sql`insert into relationships (app_id, session_id, initiate_at) values ('app_a', 'ses_a', 'infinity')`
    await holds((h) => h.suspend("app_a", null))
    await arrives(1)
    await claim()
    await leave()
    await until(
      "what was written to be counted",
      async () =>
        (
          await sql`
      select from pg_stat_user_tables where relname = 'telegram_updates' and n_tup_ins = 2001`
        ).length === 1
    )
    const read = async () =>
      (
        await sql`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
        where relname in ('telegram_updates', 'telegram_chats', 'lanes', 'relationships')`
      )[0]?.["read"]
    const updates = async () =>
      (await sql`select n_tup_upd::int as n from pg_stat_user_tables where relname = 'telegram_updates'`)[0]?.["n"]
    const [readBefore, updatesBefore] = [await read(), await updates()]
    runtime = layered()
    await holds((h) => h.resume("app_a"))
    await leave()
    await until("the statistics of the reads", async () => (await updates()) === updatesBefore + 1)
    assert.isBelow((await read()) - readBefore, 100)
    assert.strictEqual((await sql`select status from lanes where session_id = 'ses_a'`)[0]?.["status"], "ready")
    assert.lengthOf(await sql`select from relationships where session_id = 'ses_a' and initiate_at <= now()`, 1)
    runtime = layered()
  })

  it("takes effect at once for the app's health and the manager bot, even if bots resume slowly", async () => {
    const { sql } = database
    const told = () => runtime.runPromise(ManagerUpdates.use((updates) => updates.next("wrk_1")))
    const health = () => runtime.runPromise(AppHealth.use((apps) => apps.of("app_a")))
    await holds((h) => h.suspend(null, null))
    await arrives(1)
    await claim()
    await runtime.runPromise(
      ManagerUpdates.use((updates) => updates.store(5, JSON.stringify({ update_id: 5, message: {} })))
    )
    assert.isUndefined(await told())
    assert.isNotNull((await health()).hold)
    let released: Promise<boolean> | undefined
    await sql.begin(async (held) => {
      await held`select from telegram_updates where update_id = 1 for update`
      released = holds((h) => h.resume(null))
      await waitingForLocks(1)
      assert.strictEqual((await told())?.update_id, 5)
      assert.isNull((await health()).hold)
    })
    await released
  })
})

describe("updates that were set aside during a hold", () => {
  it("are set aside step by step if there are many, and none is handled meanwhile", async () => {
    const { sql } = database
    await holds((h) => h.suspend(null, null))
    await sql`insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, raw) select 'app_a', 'bot_1',
      n, 'text', n % 10, '{}' from generate_series(1, 10005) n`
    assert.deepStrictEqual(await claim(), [])
    assert.lengthOf(await aside(), 10_000)
    assert.deepStrictEqual(await claim(), [])
    assert.lengthOf(await aside(), 10_005)
    await holds((h) => h.resume(null))
    assert.deepStrictEqual(
      (await claim()).toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
  })

  it("are handled before updates from after the release", async () => {
    const { sql } = database
    await holds((h) => h.suspend(null, null))
    await arrives(1)
    assert.deepStrictEqual(await claim(), [])
    let released: Promise<boolean> | undefined
    await sql.begin(async (held) => {
      await held`select from telegram_updates where update_id = 1 for update`
      released = holds((h) => h.resume(null))
      await waitingForLocks(1)
      await arrives(2)
      assert.deepStrictEqual(await claim(), [])
    })
    assert.isTrue(await released)
    assert.deepStrictEqual(await claim(), [1])
    await done()
    assert.deepStrictEqual(await claim(), [2])
  })

  it("from an earlier hold are requeued by a later release if their own release died", async () => {
    const { sql } = database
    await holds((h) => h.suspend(null, null))
    await arrives(1)
    await claim()
    let earlier: Promise<boolean> | undefined
    await sql.begin(async (held) => {
      await held`select from telegram_updates where update_id = 1 for update`
      earlier = holds((h) => h.resume(null))
      await waitingForLocks(1)
      await holds((h) => h.suspend(null, null))
      await arrives(2)
      await claim()
      assert.deepStrictEqual(await aside(), [1, 2])
      const later = holds((h) => h.resume(null)).catch(() => "died")
      await waitingForLocks(2)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and xact_start = (
        select max(xact_start) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`
      assert.strictEqual(await later, "died")
    })
    await earlier
    await holds((h) => h.finish)
    assert.deepStrictEqual(await aside(), [])
    assert.isEmpty(await sql`select from telegram_holds`)
  })
})
