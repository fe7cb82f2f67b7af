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
  await database.sql`insert into app_budgets values (${id}, 100, (date_trunc('month', now() at time zone 'utc') - ${monthsAgo}::int * interval '1 month')::date, ${used})`
  return id
}
const take = (id: string, microUsd: number) => runtime.runPromise(Expenses.use((expenses) => expenses.take(id, microUsd)))
const used = async (id: string) => Number((await database.sql`select used_micro_usd as used from app_budgets where app_id = ${id}`)[0]?.["used"])

describe("an expense", () => {
  it("is taken as far as the budget of the month goes, and no further", async () => {
    const id = await app(60)
    assert.deepStrictEqual([await take(id, 40), await take(id, 1)], [true, false])
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
    assert.isTrue(await take(id, 5))
    assert.strictEqual(await used(id), 5)
  })

  it("that was not spent is given back", async () => {
    const id = await app(60)
    await take(id, 30)
    await runtime.runPromise(Expenses.use((expenses) => expenses.giveBack(id, 30)))
    assert.strictEqual(await used(id), 60)
  })

  it("of an app without a budget is nobody's to refuse", async () => {
    await database.sql`insert into apps (app_id, name) values ('app_rich', 'test')`
    assert.isTrue(await take("app_rich", 1_000_000))
  })
})
