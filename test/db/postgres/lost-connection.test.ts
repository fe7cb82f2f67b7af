import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { type Engine, startEngine } from "#test/support/Engine.ts"
import { openGate } from "#test/support/postgres/gate.ts"
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

const pidOf = Database.use(({ query }) =>
  query<Array<{ pid: number }>>((sql) => sql`select pg_backend_pid() as pid`)
).pipe(Effect.map(([row]) => row?.pid ?? 0))
const mark = (value: number) => Database.use(({ query }) => query((sql) => sql`insert into marks values (${value})`))
/** Ends a connection from outside, and waits until it has. */
const kill = (pid: number) =>
  Effect.promise(async () => {
    await database.sql`select pg_terminate_backend(${pid}, 5000)`
  })
const reasonOf = (effect: Effect.Effect<unknown, DatabaseError, Database>) =>
  engine.run(
    Database.use(({ transaction }) => transaction(effect)).pipe(
      Effect.as("committed"),
      Effect.catchTag("DatabaseError", ({ reason }) => Effect.succeed(reason))
    )
  )

describe("a transaction whose connection ends", () => {
  it("by its own statement fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(
      mark(1).pipe(
        Effect.andThen(Database.use(({ query }) => query((sql) => sql`select pg_terminate_backend(pg_backend_pid())`)))
      )
    )
    assert.strictEqual(outcome, "unreachable")
  })

  it("from outside, between two statements, fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(
      mark(2).pipe(Effect.andThen(pidOf), Effect.flatMap(kill), Effect.andThen(mark(2)), Effect.andThen(mark(2)))
    )
    assert.strictEqual(outcome, "unreachable")
  })

  it("from outside, before its commit, fails as unreachable, and writes nothing", async () => {
    const outcome = await reasonOf(mark(3).pipe(Effect.andThen(pidOf), Effect.flatMap(kill)))
    assert.strictEqual(outcome, "unreachable")
  })

  it("by the server, after five seconds of silence, fails as unreachable and releases its locks", async () => {
    const silent = Effect.promise(() =>
      until(
        "the server to end it",
        async () =>
          (
            await database.sql`
              select 1 from pg_locks where locktype = 'advisory' and objid = 7
              and database = (select oid from pg_database where datname = current_database())`
          ).length === 0
      )
    )
    const outcome = await reasonOf(
      mark(4).pipe(
        Effect.andThen(Database.use(({ query }) => query((sql) => sql`select pg_advisory_xact_lock(7)`))),
        Effect.andThen(silent),
        Effect.andThen(mark(4))
      )
    )
    assert.strictEqual(outcome, "unreachable")
  })

  it("leaves the process alive, and its pool soon works on every connection again", async () => {
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 8 }, () => reasonOf(pidOf.pipe(Effect.flatMap(kill), Effect.andThen(mark(4)))))
      )
      // A connection may be chosen just as it closes.
      while ((await Promise.all(Array.from({ length: 8 }, () => reasonOf(mark(5))))).includes("unreachable"));
    }
    const marks = await database.sql<Array<{ mark: number }>>`select distinct mark from marks`
    assert.deepStrictEqual(
      marks.map(({ mark }) => mark),
      [5]
    )
  })
})

describe("a cancelled query", () => {
  const givenUp = "select 'given up' from pg_sleep(20)"
  const running = async () =>
    (
      await database.sql`
        select 1 from pg_stat_activity
        where datname = current_database() and query = ${givenUp} and state = 'active'`
    ).length
  const run = (url: string, beforeItIsGivenUp: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const { query } = yield* Database
      const fiber = yield* Effect.forkChild(
        query((sql) => sql.unsafe(givenUp)),
        { startImmediately: true }
      )
      yield* Effect.promise(() => until("the query to run", async () => (await running()) === 1))
      yield* beforeItIsGivenUp
      yield* Fiber.interrupt(fiber)
    }).pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 1 })),
      Effect.scoped,
      Effect.runPromise
    )

  // A cancel request uses a separate connection, and affects whatever the other connection is doing when it arrives.
  it("sends the server nothing that could affect the next query", async () => {
    const gate = await openGate(database.url)
    const waiting = async () =>
      (
        await database.sql`
          select 1 from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      ).length
    const lock = (key: number) =>
      Database.use(({ query }) =>
        query<Array<{ key: number }>>((sql) => sql`select ${key}::int as key from pg_advisory_xact_lock(${key}::int)`)
      )
    try {
      await Effect.gen(function* () {
        const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const held = [one, two].map(({ promise }, i) =>
          database.sql.begin(async (sql) => {
            await sql`select pg_advisory_xact_lock(${i + 1}::int)`
            await promise
          })
        )
        yield* Effect.promise(() =>
          until(
            "the locks",
            async () =>
              (
                await database.sql`
                  select 1 from pg_locks where locktype = 'advisory' and granted
                  and database = (select oid from pg_database where datname = current_database())`
              ).length === 2
          )
        )
        const givenUp = yield* Effect.forkChild(lock(1), { startImmediately: true })
        yield* Effect.promise(() => until("the first to wait", async () => (await waiting()) === 1))
        const next = yield* Effect.forkChild(lock(2), { startImmediately: true })
        yield* Fiber.interrupt(givenUp)
        one.resolve()
        yield* Effect.promise(() => Promise.resolve(held[0]))
        yield* Effect.promise(() => until("the second to wait", async () => (await waiting()) === 1))
        assert.strictEqual(gate.connections(), 1)
        two.resolve()
        assert.deepStrictEqual([...(yield* Fiber.join(next))], [{ key: 2 }])
        yield* Effect.promise(() => Promise.all(held))
      }).pipe(
        Effect.provide(Database.layer({ url: Redacted.make(gate.url), maxConnections: 1 })),
        Effect.scoped,
        Effect.runPromise
      )
    } finally {
      gate.close()
    }
  })

  it("is cancelled on the server too, soon after", async () => {
    const [row] = await engine.run(
      Database.use(({ query }) => query<Array<{ statement_timeout: string }>>((sql) => sql`show statement_timeout`))
    )
    assert.strictEqual(row?.statement_timeout, "16s")
  })

  it("does not harm the process while no new connection can be made", async () => {
    const gate = await openGate(database.url)
    const uncaught: Array<unknown> = []
    const notice = (cause: unknown) => {
      uncaught.push(cause)
    }
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
