import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { Database } from "#src/db/Database.ts"
import { Expenses } from "#src/db/Expenses.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
const openRuntime = (url: string) => ManagedRuntime.make(Expenses.layer.pipe(
  Layer.provide(Database.layer({ url: Redacted.make(url), maxConnections: 4 })),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
))
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
/** An app that may spend 100 in a month, and has spent some of it in this one or in another. */
const app = async (used: number, monthsAgo = 0) => {
  const id = `app_${++apps}`
  await database.sql`insert into apps (app_id, name) values (${id}, 'test')`
  await database.sql`insert into allowances (app_id, kind, monthly_limit_micro_usd, day, month_used_micro_usd) values (${id}, 'app', 100, (now() at time zone 'utc' - ${monthsAgo}::int * interval '1 month')::date, ${used})`
  return id
}
const take = (id: string, microUsd: number) => runtime.runPromise(Expenses.use((expenses) => expenses.take(id, "transcription", microUsd)))
const booked = async (id: string) => (await database.sql<Array<{ amount: number }>>`select amount_micro_usd::int as amount from ledger where app_id = ${id} order by at, amount_micro_usd desc`).map((row) => row.amount)
const used = async (id: string) => Number((await database.sql`select month_used_micro_usd as used from allowances where app_id = ${id}`)[0]?.["used"])

describe("an expense", () => {
  it("is taken as far as the budget of the month goes, and no further", async () => {
    const id = await app(60)
    assert.deepStrictEqual([await take(id, 40), await take(id, 1)].map((expense) => expense?.microUsd), [40, undefined])
    assert.deepStrictEqual(await booked(id), [40])
    assert.strictEqual(await used(id), 100)
  })

  it("is never taken beyond the budget, however many ask at once", async () => {
    const id = await app(0)
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(id, 10)))
    assert.lengthOf(taken.filter(Boolean), 10)
    assert.strictEqual(await used(id), 100)
  })

  it("begins a new month with nothing spent", async () => {
    const id = await app(100, 1)
    assert.isNotNull(await take(id, 5))
    assert.strictEqual(await used(id), 5)
  })

  it("that was not spent is given back", async () => {
    const id = await app(60)
    const expense = await take(id, 30)
    assert.isNotNull(expense)
    if (expense !== null) await runtime.runPromise(Expenses.use((expenses) => expenses.giveBack(expense)))
    assert.strictEqual(await used(id), 60)
    assert.deepStrictEqual(await booked(id), [30, -30])
  })

  it("of an app without a budget is nobody's to refuse", async () => {
    await database.sql`insert into apps (app_id, name) values ('app_rich', 'test')`
    assert.isNotNull(await take("app_rich", 1_000_000))
  })
})
