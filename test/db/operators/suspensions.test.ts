import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let runtime: ManagedRuntime.ManagedRuntime<TelegramSuspensions | Suspensions, unknown>

beforeEach(async () => {
  database = await createTestDatabase()
  runtime = ManagedRuntime.make(
    Suspensions.layer.pipe(
      Layer.provideMerge(TelegramSuspensions.layer),
      Layer.provide(LogSignals.layer),
      Layer.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 12 }))
    )
  )
  const { sql } = database
  for (const app of ["app_a", "app_b"]) {
    await sql`insert into apps (app_id, name) values (${app}, 'a')`
    await sql`
      insert into channels (app_id, channel_id, covers, kind, endpoint, target, status, failing_since)
      select ${app}, 'chn_' || status, 'app', 'webhook', '', '{}', status, now() - interval '3 days'
        from unnest(array['failing', 'paused']) status`
  }
})
afterEach(async () => {
  await runtime.dispose()
  await database.drop()
})

const suspensions = <A, E>(use: (service: Suspensions["Service"]) => Effect.Effect<A, E>) =>
  runtime.runPromise(Suspensions.use(use))
const parkLanes = (app: string, channel: string, count: number, head: number) => database.sql`
  insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
  select ${app}, 'ses_' || ${head}::int || '_' || n, ${channel}, 1, 0, ${head}, 'parked'
    from generate_series(1, ${count}::int) n`
const lanes = async () =>
  (
    await database.sql`
      select app_id, channel_id, status, count(*)::int from lanes where session_id like 'ses%' group by 1, 2, 3
      order by 1, 2, 3`
  ).map(({ app_id, channel_id, status, count }) => [app_id, channel_id, status, count])

describe("a resumed app", () => {
  it("has all its parked lanes restarted, but not those of other apps or of a paused channel", async () => {
    const { sql } = database
    await suspensions((s) => s.suspend("app_a", null))
    await suspensions((s) => s.suspend("app_b", null))
    await parkLanes("app_a", "chn_failing", 2500, 7)
    await parkLanes("app_a", "chn_failing", 3, 0)
    await parkLanes("app_a", "chn_paused", 10, 7)
    await parkLanes("app_b", "chn_failing", 10, 7)
    await sql`insert into relationships (app_id, session_id, initiate_at) select app_id, session_id, 'infinity'
      from lanes where session_id like 'ses%' on conflict do nothing`
    assert.isTrue(await suspensions((s) => s.resume("app_a")))
    assert.deepStrictEqual(await lanes(), [
      ["app_a", "chn_failing", "idle", 3],
      ["app_a", "chn_failing", "ready", 2500],
      ["app_a", "chn_paused", "parked", 10],
      ["app_b", "chn_failing", "parked", 10]
    ])
    assert.deepStrictEqual(
      (await sql`select app_id, count(*)::int from relationships where initiate_at <= now() group by 1`).map(
        ({ app_id, count }) => [app_id, count]
      ),
      [["app_a", 2503]]
    )
    assert.deepStrictEqual(
      (await sql`select app_id, channel_id from channels where failing_since > now() - interval '1 minute'`).map(
        (row) => Object.values(row)
      ),
      [["app_a", "chn_failing"]]
    )
    assert.deepStrictEqual(
      (await sql`select scope from telegram_holds`).map(({ scope }) => scope),
      ["app_b"]
    )
  })

  it("is resumed by the minute's job if the command died", async () => {
    const { sql } = database
    await suspensions((s) => s.suspend("app_a", null))
    await parkLanes("app_a", "chn_failing", 1, 7)
    await sql`update telegram_holds set released_at = now()`
    assert.deepStrictEqual(
      (await lanes()).map(([, , status]) => status),
      ["parked"]
    )
    await runtime.runPromise(TelegramSuspensions.use((holds) => holds.finish))
    assert.deepStrictEqual(
      (await lanes()).map(([, , status]) => status),
      ["ready"]
    )
  })

  it("stays suspended if it was suspended again before everything had resumed", async () => {
    const { sql } = database
    await suspensions((s) => s.suspend("app_a", "first"))
    await parkLanes("app_a", "chn_failing", 1, 7)
    await sql`update telegram_holds set released_at = now()`
    assert.isTrue(await suspensions((s) => s.suspend("app_a", "second")))
    await runtime.runPromise(TelegramSuspensions.use((holds) => holds.finish))
    assert.deepStrictEqual(
      (await lanes()).map(([, , status]) => status),
      ["parked"]
    )
    assert.deepStrictEqual(
      (await sql`select reason, released_at from telegram_holds`).map((row) => Object.values(row)),
      [["second", null]]
    )
  })
})
