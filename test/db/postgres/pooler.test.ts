import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { compareAddresses, findPoolerMismatch, isSessionPooled } from "#src/db/postgres/pooler.ts"
import { databaseProblems } from "#src/health/serverProblems.ts"
import { openPool } from "#src/db/postgres/postgres.ts"
import { freePort } from "#test/support/freePort.ts"
import { hasPgBouncer, startPgBouncer } from "#test/support/postgres/PgBouncer.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let other: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  other = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await other.drop()
})

/** With these addresses. Nothing here depends on whether the first one is that of a pooler. */
const between = <A, E>(effect: Effect.Effect<A, E, Database>, directUrl: string | null) =>
  Effect.runPromise(
    Effect.provide(
      effect,
      Database.layer({
        url: Redacted.make(database.url),
        directUrl: directUrl === null ? null : Redacted.make(directUrl),
        maxConnections: 2
      })
    )
  )

describe("the address of the server behind a pooler", () => {
  it("leads to the same database, to another one, or nowhere", async () => {
    const away = new URL(database.url)
    away.port = String(await freePort())
    assert.strictEqual(await between(compareAddresses, null), null)
    assert.strictEqual(await between(compareAddresses, database.url), "same")
    assert.strictEqual(await between(compareAddresses, other.url), "different")
    assert.strictEqual(await between(compareAddresses, away.href), "unreachable")
  })

  it("is a problem unless it leads to the same database", () => {
    const kindsWith = (direct_address: "same" | "different" | "unreachable" | null) =>
      databaseProblems(
        {
          reachable: true,
          unreachable_since: null,
          answered_in_ms: 1,
          is_standby: false,
          clock_ahead_seconds: 0,
          asynchronous_standbys: 0,
          oldest_transaction_at: null,
          direct_address
        },
        new Date(0)
      ).map(({ kind, severity }) => `${kind} ${severity}`)
    for (const fine of [null, "same"] as const) assert.deepStrictEqual(kindsWith(fine), [])
    for (const wrong of ["different", "unreachable"] as const)
      assert.deepStrictEqual(kindsWith(wrong), ["database_direct_address critical"])
  })

  it("is not taken for that of a pooler", async () => {
    assert.isFalse(await between(isSessionPooled, null))
    assert.isFalse(await between(isSessionPooled, database.url))
  })
})

describe("connections through a pooler", () => {
  it("have the settings of the role, once the statements that are named for those it lacks were run", async () => {
    const lacking = await between(findPoolerMismatch, database.url)
    const statements = lacking?.fix.match(/alter role [^;]+;/g) ?? []
    assert.strictEqual(statements.length, 5)
    await database.sql.unsafe(statements[0] ?? "")
    assert.notInclude((await between(findPoolerMismatch, database.url))?.fix, statements[0] ?? "")
    for (const statement of statements.slice(1)) await database.sql.unsafe(statement)
    assert.isNull(await between(findPoolerMismatch, database.url))
  })

  it("need no settings of the role if there is no pooler", async () => {
    assert.isNull(await between(findPoolerMismatch, null))
  })
})

describe.runIf(hasPgBouncer)("statements through a pooler in transaction mode", () => {
  it("are all answered on one connection, with parameters and without, in transactions and outside", async () => {
    const pooler = await startPgBouncer({ poolSize: 2, ignored: "" })
    onTestFinished(pooler.close)
    const pool = openPool(pooler.through(database.url), 1, { isPooled: true })
    onTestFinished(() => pool.end({ timeout: 1 }))
    const inTransaction = () =>
      pool.begin(async (sql) => {
        const [[plain], [given]] = await Promise.all([
          sql<Array<{ n: number }>>`select 1 as n`,
          sql<Array<{ n: number }>>`select ${2}::int as n`
        ])
        return [plain?.n, given?.n]
      })
    const outside = async () => {
      const [, [given], [list]] = await Promise.all([
        pool`select pg_sleep(0.01)`,
        pool<Array<{ n: number }>>`select ${3}::int as n`,
        pool<Array<{ n: number }>>`select cardinality(${["a", "b"]}::text[]) as n`
      ])
      return [given?.n, list?.n]
    }
    for (let n = 0; n < 5; n++)
      assert.deepStrictEqual(await Promise.all([outside(), inTransaction(), outside()]), [
        [3, 2],
        [1, 2],
        [3, 2]
      ])
  })
})
