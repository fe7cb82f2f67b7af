import { readFileSync, globSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe("the position of an event in the feed", () => {
  it("is named by every statement that writes events", () => {
    const statements = globSync("src/**/*.ts").flatMap((file) =>
      readFileSync(file, "utf8")
        .split(/insert into events\b/)
        .slice(1)
        .map((rest) => [file, rest.slice(0, rest.indexOf(")"))] as const)
    )
    assert.isAbove(statements.length, 6)
    for (const [file, columns] of statements) assert.include(columns, "feed_position", file)
  })

  it("grows along a log, even if a transaction that began earlier appends later", async () => {
    const { appId } = await createAppIn(database.sql)
    const append = (n: number) =>
      appendOperational({ appId, type: "bot.active", payload: { bot_id: `bot_${n}`, username: null } })
    const context = Layer.merge(
      LogSignals.layer,
      Database.layer({ url: Redacted.make(database.url), maxConnections: 8 })
    )
    await Effect.runPromise(
      Effect.gen(function* () {
        const { query, transaction } = yield* Database
        yield* transaction(append(1))
        yield* transaction(
          Effect.gen(function* () {
            yield* query((sql) => sql`select pg_current_xact_id()`)
            const other = yield* Effect.forkDetach(
              transaction(append(2)).pipe(
                Effect.provide(Database.layer({ url: Redacted.make(database.url), maxConnections: 2 }), { local: true })
              ),
              { startImmediately: true }
            )
            yield* Effect.promise(
              () =>
                new Promise<void>((done) => {
                  other.addObserver(() => done())
                })
            )
            yield* append(3)
          })
        )
        yield* transaction(append(4))
      }).pipe(Effect.provide(context))
    )
    const rows = await database.sql<Array<{ n: number }>>`
      select replace(payload ->> 'bot_id', 'bot_', '')::int as n from events where app_id = ${appId}
      order by feed_position, session_id, cursor`
    assert.deepStrictEqual(
      rows.map(({ n }) => n),
      [1, 2, 3, 4]
    )
    const [first] = await database.sql`
      select count(distinct feed_position)::int as positions from events where app_id = ${appId}`
    assert.strictEqual(first?.["positions"], 3)
  })
})
