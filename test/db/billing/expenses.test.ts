import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { Database } from "#src/db/postgres/Database.ts"
import { type Activity, type Expense, Expenses } from "#src/db/billing/Expenses.ts"
import { AssumedPrices } from "#src/model/assumedPrices.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
const openRuntime = (url: string) =>
  ManagedRuntime.make(
    Expenses.layer.pipe(
      Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 })),
      Layer.provide(Layer.succeed(AssumedPrices, new Set(["voice"] as const))),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
let runtime: ReturnType<typeof openRuntime>
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = openRuntime(database.url)
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

let apps = 0
/** An app with one session, of Ann's. */
const createIn = async (id: string) => {
  const { sql } = database
  await sql`insert into apps (app_id, name) values (${id}, 'test')`
  await sql`insert into characters (app_id, slug, version) values (${id}, 'mara', 1)`
  await sql`insert into end_users (app_id, external_user_ref) values (${id}, 'ann')`
  await sql`insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
    values (${id}, ${`ses_${id}`}, 'mara', 'ann', '{}', '{}')`
}
/** An app with a monthly budget of 100, part of which was spent in this month or in an earlier one. */
const app = async (used: number, monthsAgo = 0) => {
  const id = `app_${++apps}`
  await createIn(id)
  await database.sql`
    insert into allowances (app_id, kind, monthly_limit_micro_usd, day, month_used_micro_usd)
    values (${id}, 'app', 100, (now() at time zone 'utc' - ${monthsAgo}::int * interval '1 month')::date, ${used})`
  return id
}
const take = (id: string, microUsd: number, activity: Activity = "transcription") =>
  runtime.runPromise(
    Expenses.use((expenses) => expenses.charge({ appId: id, sessionId: `ses_${id}` }, activity, microUsd))
  )
const reserve = (id: string, microUsd: number) =>
  runtime.runPromise(
    Expenses.use((expenses) =>
      expenses
        .reserve({ appId: id, sessionId: `ses_${id}` }, "transcription", microUsd)
        .pipe(Effect.map((expense) => expense ?? assert.fail("the budget does not cover it")))
    )
  )
const settle = (expense: Expense, spentMicroUsd: number) =>
  runtime.runPromise(Expenses.use((expenses) => expenses.settle(expense, spentMicroUsd)))
const refundAbandoned = () => runtime.runPromise(Expenses.use((expenses) => expenses.refundAbandoned))
const booked = async (id: string) =>
  (
    await database.sql<
      Array<{ amount: number }>
    >`select amount_micro_usd::int as amount from ledger where app_id = ${id} order by at, amount_micro_usd desc`
  ).map((row) => row.amount)
const used = async (id: string) =>
  Number(
    (
      await database.sql`select month_used_micro_usd as used from allowances where app_id = ${id} and kind = 'app'`
    )[0]?.["used"]
  )

describe("an expense", () => {
  it("is charged up to the monthly budget and not beyond it", async () => {
    const id = await app(60)
    assert.deepStrictEqual(
      [await take(id, 40), await take(id, 1)].map((expense) => expense?.microUsd),
      [40, undefined]
    )
    assert.deepStrictEqual(await booked(id), [40])
    assert.strictEqual(await used(id), 100)
  })

  it("never exceeds the budget, however many requests come at once", async () => {
    const id = await app(0)
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(id, 10)))
    assert.lengthOf(taken.filter(Boolean), 10)
    assert.strictEqual(await used(id), 100)
  })

  it("starts a new month with nothing spent", async () => {
    const id = await app(100, 1)
    assert.isNotNull(await take(id, 5))
    assert.strictEqual(await used(id), 5)
  })

  it("is refunded if it was not spent", async () => {
    const id = await app(60)
    const expense = await take(id, 30)
    assert.isNotNull(expense)
    if (expense !== null) await runtime.runPromise(Expenses.use((expenses) => expenses.refund(expense)))
    assert.strictEqual(await used(id), 60)
    assert.deepStrictEqual(await booked(id), [30, -30])
  })

  it("is settled at what was spent, more or less than was reserved, and once", async () => {
    for (const spent of [0, 10, 30, 45]) {
      const id = await app(0)
      const reserved = await reserve(id, 30)
      assert.strictEqual(await used(id), 30)
      await settle(reserved, spent)
      assert.strictEqual(await used(id), spent)
      await refundAbandoned()
      assert.strictEqual(await used(id), spent)
    }
  })

  it("is refunded if the process that reserved it has died, and booked if it only took that long", async () => {
    const id = await app(0)
    const [died, slow] = [await reserve(id, 30), await reserve(id, 40)]
    await refundAbandoned()
    assert.strictEqual(await used(id), 70)
    await database.sql`update open_expenses set refund_at = now() where app_id = ${id}`
    await Promise.all([refundAbandoned(), refundAbandoned()])
    assert.strictEqual(await used(id), 0)
    await settle(slow, 25)
    assert.strictEqual(await used(id), 25)
    assert.strictEqual(
      (await booked(id)).reduce((sum, amount) => sum + amount, 0),
      25
    )
    assert.isNotNull(died)
  })

  it("also counts towards the end-user's cap, including a default cap, and never exceeds it", async () => {
    const id = await app(0)
    await database.sql`insert into allowances (app_id, kind, external_user_ref) values (${id}, 'end_user', 'ann')`
    await database.sql`insert into allowances (app_id, kind, daily_limit_micro_usd) values (${id}, 'default', 30)`
    const [first, second] = [await take(id, 20), await take(id, 11)]
    assert.deepStrictEqual([first?.microUsd, second], [20, null])
    const usedByAnn = async () =>
      Number(
        (
          await database.sql`
            select day_used_micro_usd as used from allowances where app_id = ${id} and kind = 'end_user'`
        )[0]?.["used"]
      )
    assert.deepStrictEqual([await used(id), await usedByAnn()], [20, 20])
    if (first !== null) await runtime.runPromise(Expenses.use((expenses) => expenses.refund(first)))
    assert.deepStrictEqual([await used(id), await usedByAnn()], [0, 0])
  })

  it("is refunded to the app if its session no longer exists", async () => {
    const id = await app(60)
    const expense = await take(id, 30)
    await database.sql`delete from sessions where app_id = ${id}`
    if (expense !== null) await runtime.runPromise(Expenses.use((expenses) => expenses.refund(expense)))
    assert.strictEqual(await used(id), 60)
  })

  it("of an app without a budget is never refused", async () => {
    await createIn("app_rich")
    assert.isNotNull(await take("app_rich", 1_000_000))
  })

  it("is marked if the price of the model behind it is an assumption", async () => {
    const id = await app(0)
    await take(id, 10)
    await take(id, 20, "image")
    await take(id, 30, "eval")
    assert.deepStrictEqual(
      [...(await database.sql`select activity, unpriced from ledger where app_id = ${id} order by amount_micro_usd`)],
      [
        { activity: "transcription", unpriced: true },
        { activity: "image", unpriced: null },
        { activity: "eval", unpriced: null }
      ]
    )
  })
})
