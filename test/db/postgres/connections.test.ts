import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { unitOf } from "#src/units/Unit.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = ManagedRuntime.make(
    Database.layer({ url: Redacted.make(database.url), maxConnections: 6 }).pipe(Layer.orDie)
  )
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

const one = Database.use(({ query }) => query<Array<{ n: number }>>((sql) => sql`select 1 as n`))

describe("the connections of a process", () => {
  it("are never all used by transactions: single statements run beside any number of them", async () => {
    const gate = Promise.withResolvers<void>()
    let begun = 0
    const long = Database.use(({ transaction }) =>
      transaction(
        one.pipe(
          Effect.andThen(
            Effect.sync(() => {
              begun++
            })
          ),
          Effect.andThen(Effect.promise(() => gate.promise)),
          Effect.andThen(one)
        )
      )
    )
    const transactions = Promise.all(Array.from({ length: 12 }, () => runtime.runPromise(long)))
    assert.deepStrictEqual([...(await runtime.runPromise(one))], [{ n: 1 }])
    assert.isAtMost(begun, 2)
    gate.resolve()
    assert.strictEqual((await transactions).length, 12)
    assert.strictEqual(begun, 12)
  })
  it("go to the transactions of each app in turn, however many of one app wait", async () => {
    const gate = Promise.withResolvers<void>()
    const order: Array<string> = []
    const work = (appId: string) =>
      Database.use(({ transaction }) =>
        transaction(
          Effect.andThen(
            Effect.sync(() => order.push(appId)),
            Effect.promise(() => gate.promise)
          )
        )
      ).pipe(Effect.provideService(CurrentUnit, unitOf("request", appId, "x")))
    const apps = [...Array.from({ length: 10 }, () => "busy"), "quiet"]
    const all = Promise.all(apps.map((appId) => runtime.runPromise(work(appId))))
    gate.resolve()
    await all
    assert.isAtMost(order.indexOf("quiet"), 4)
  })
  it("are reused last first, so that few of them have to prepare a statement", async () => {
    const backend = Database.use(({ query }) =>
      query<Array<{ pid: number }>>((sql) => sql`select pg_backend_pid() as pid`)
    )
    const pidOf = async () => (await runtime.runPromise(backend))[0]?.pid
    const opened = new Set(await Promise.all(Array.from({ length: 6 }, pidOf)))
    assert.isAbove(opened.size, 1)
    const used = new Set<number | undefined>()
    for (let query = 0; query < 12; query++) used.add(await pidOf())
    assert.strictEqual(used.size, 1)
  })
})
