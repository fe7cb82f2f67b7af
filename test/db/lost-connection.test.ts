import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database, type DatabaseError } from "#src/db/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { openGate } from "#test/support/gate.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

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

const pidOf = Database.use(({ query }) => query<Array<{ pid: number }>>((sql) => sql`select pg_backend_pid() as pid`)).pipe(Effect.map(([row]) => row?.pid ?? 0))
const mark = (value: number) => Database.use(({ query }) => query((sql) => sql`insert into marks values (${value})`))
/** Ends a connection from outside, and waits until it has. */
const kill = (pid: number) => Effect.promise(async () => {
  await database.sql`select pg_terminate_backend(${pid}, 5000)`
})
const reasonOf = (effect: Effect.Effect<unknown, DatabaseError, Database>) =>
  engine.run(Database.use(({ transaction }) => transaction(effect)).pipe(Effect.as("committed"), Effect.catchTag("DatabaseError", ({ reason }) => Effect.succeed(reason))))

describe("a transaction whose connection is ended", () => {
  it("by a statement of its own fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(mark(1).pipe(
      Effect.andThen(Database.use(({ query }) => query((sql) => sql`select pg_terminate_backend(pg_backend_pid())`)))
    ))
    assert.strictEqual(outcome, "unreachable")
  })

  it("from outside, between two statements, fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(mark(2).pipe(Effect.andThen(pidOf), Effect.flatMap(kill), Effect.andThen(mark(2)), Effect.andThen(mark(2))))
    assert.strictEqual(outcome, "unreachable")
  })

  it("from outside, before its commit, fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(mark(3).pipe(Effect.andThen(pidOf), Effect.flatMap(kill)))
    assert.strictEqual(outcome, "unreachable")
  })

  it("leaves behind a process that lives, and a pool that soon works on every connection again", async () => {
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => reasonOf(pidOf.pipe(Effect.flatMap(kill), Effect.andThen(mark(4))))))
      // A connection may be chosen in the moment in which it goes.
      while ((await Promise.all(Array.from({ length: 8 }, () => reasonOf(mark(5))))).includes("unreachable"));
    }
    const marks = await database.sql<Array<{ mark: number }>>`select distinct mark from marks`
    assert.deepStrictEqual(marks.map(({ mark }) => mark), [5])
  })
})

describe("a query that is given up", () => {
  const givenUp = "select 'given up' from pg_sleep(20)"
  const running = async () => (await database.sql`select 1 from pg_stat_activity where query = ${givenUp} and state = 'active'`).length
  const run = (url: string, beforeItIsGivenUp: Effect.Effect<void>) =>
    Effect.gen(function*() {
      const { query } = yield* Database
      const fiber = yield* Effect.forkChild(query((sql) => sql.unsafe(givenUp)), { startImmediately: true })
      yield* Effect.promise(() => until("the query to run", async () => (await running()) === 1))
      yield* beforeItIsGivenUp
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.scoped, Effect.runPromise)

  it("ends on the server, too", async () => {
    await run(database.url, Effect.void)
    await until("the query to end", async () => (await running()) === 0)
    assert.strictEqual(await running(), 0)
  })

  it("while no new connection gets through, does no harm to the process", async () => {
    const gate = await openGate(database.url)
    const uncaught: Array<unknown> = []
    const notice = (cause: unknown) => { uncaught.push(cause) }
    process.on("unhandledRejection", notice)
    try {
      await run(gate.url, Effect.sync(gate.bar))
      assert.deepStrictEqual(uncaught, [])
    } finally {
      process.off("unhandledRejection", notice)
      gate.close()
    }
  })
})
