import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let engine: Engine
beforeAll(async () => {
  database = await createTestDatabase()
  engine = startEngine(database)
  await database.sql`create table marks (mark int)`
})
afterAll(async () => {
  await engine.close()
  await database.drop()
})

const marks = async () => (await database.sql`select mark from marks order by mark`).map((row) => row["mark"])

it("an after-commit action runs after the commit of the outermost transaction", async () => {
  const seen: Array<Promise<ReadonlyArray<number>>> = []
  const [inner, outer] = await engine.run(
    Database.use(({ query, transaction, afterCommit }) =>
      Effect.gen(function* () {
        yield* transaction(query((sql) => sql`insert into marks values (1)`)).pipe(
          Effect.andThen(afterCommit(() => seen.push(marks())))
        )
        const inner = seen.length
        yield* query((sql) => sql`insert into marks values (2)`)
        return [inner, seen.length]
      }).pipe(transaction)
    )
  )
  assert.deepStrictEqual([inner, outer], [0, 0])
  assert.deepStrictEqual(await Promise.all(seen), [[1, 2]])
})

it("an after-commit action does not run after a rollback, and runs at once without a transaction", async () => {
  let done = 0
  const act = Database.use(({ afterCommit }) =>
    afterCommit(() => {
      done += 1
    })
  )
  await engine.run(
    Database.use(({ transaction }) => transaction(Effect.andThen(act, Effect.fail("no")))).pipe(Effect.ignore)
  )
  assert.strictEqual(done, 0)
  await engine.run(act)
  assert.strictEqual(done, 1)
})
