import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
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
})
