import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { rescuers } from "#src/db/conversation/rescuers.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { openPool } from "#src/db/postgres/postgres.ts"
import { primaryOf, serversOf } from "#src/db/postgres/primary.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe("the address of a database", () => {
  it("may name several servers, as in libpq", () => {
    assert.deepStrictEqual(serversOf("postgres://u:p%40@one:5433,two/db?sslmode=require"), [
      "postgres://u:p%40@one:5433/db?sslmode=require",
      "postgres://u:p%40@two/db?sslmode=require"
    ])
    assert.deepStrictEqual(serversOf("postgres://one/db"), ["postgres://one/db"])
  })

  it("leads to the server that takes writes, also if another one cannot be reached", async () => {
    const { host } = new URL(database.url)
    const several = database.url.replace(host, `127.0.0.1:1,${host}`)
    assert.strictEqual(await primaryOf(several), database.url)
  })
})

describe("a server that takes no writes any more", () => {
  it("loses its connections, and the next ones take writes", async () => {
    const runtime = ManagedRuntime.make(Database.layer({ url: Redacted.make(database.url), maxConnections: 1 }))
    const { query } = await runtime.runPromise(Database)
    const write = () =>
      runtime.runPromise(
        query(
          (sql) => sql`insert into write_probe default values on conflict (id) do update set written_at = now()`
        ).pipe(
          Effect.as("written"),
          Effect.catch(({ reason, sqlState }) => Effect.succeed(`${reason} ${sqlState}`))
        )
      )
    assert.strictEqual(await write(), "written")
    const other = await createTestDatabase()
    const elsewhere = openPool(other.url, 1)
    const session = async () => (await elsewhere`select pg_backend_pid() as pid`)[0]?.["pid"]
    const before = await session()
    await runtime.runPromise(query((sql) => sql`set session characteristics as transaction read only`))
    assert.strictEqual(await write(), "unreachable 25006")
    await until("a connection that takes writes", async () => (await write()) === "written")
    assert.strictEqual(await session(), before, "the connections to another database stay")
    await elsewhere.end()
    await other.drop()
    await runtime.dispose()
  })
})

describe("a process that has lost its own lock", () => {
  it("declares nobody dead until it has held it again for ten seconds", () => {
    let now = 0
    const { away, held, mayRescue } = rescuers(() => now)
    held("wrk_1", false)
    assert.isTrue(mayRescue())
    away("wrk_1")
    assert.isFalse(mayRescue())
    held("wrk_1", true)
    now = 9_999
    assert.isFalse(mayRescue())
    now = 10_000
    assert.isTrue(mayRescue())
  })
})
