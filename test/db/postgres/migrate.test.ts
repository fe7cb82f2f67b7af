import { randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { dropDatabase } from "#test/support/dropDatabase.ts"
import { onDatabase } from "#test/support/onDatabase.ts"

const FILES = readdirSync(resolve(import.meta.dirname, "../../../migrations"))
  .filter((name) => name.endsWith(".sql"))
  .sort()
const name = `empty_${randomBytes(6).toString("hex")}`
let url: string
let admin: postgres.Sql
let sql: postgres.Sql

beforeAll(async () => {
  admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
  await admin`create database ${admin(name)}`
  url = onDatabase(inject("postgresUrl"), name)
  sql = postgres(url, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await dropDatabase(admin, name)
  await admin.end({ timeout: 1 })
})

/** The start of a process: its own pool, and an up-to-date schema. */
const start = () =>
  Effect.runPromise(
    migrate.pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Effect.provideService(References.MinimumLogLevel, "Fatal")
    )
  )

const applied = () =>
  sql<Array<{ name: string; xmin: string }>>`select name, xmin::text from schema_migrations order by name`

describe("migrations", () => {
  it("are applied once each if five processes start together on an empty database", async () => {
    await Promise.all(Array.from({ length: 5 }, start))
    assert.deepStrictEqual(
      (await applied()).map((row) => row.name),
      FILES
    )
    const [schema] = await sql<
      Array<{ turns: string | null; jobs: string | null }>
    >`select to_regclass('turns')::text as turns, to_regclass('graphile_worker._private_jobs')::text as jobs`
    assert.deepStrictEqual({ ...schema }, { turns: "turns", jobs: "graphile_worker._private_jobs" })
  })

  it("are not applied again by a later start, and leave no lock behind", async () => {
    const before = await applied()
    await start()
    assert.deepStrictEqual(await applied(), before)
    const locks =
      await sql`select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database
        where datname = current_database())`
    assert.lengthOf(locks, 0)
  })

  it("leave nothing of a file that fails halfway, and the next start can continue", async () => {
    await sql`delete from schema_migrations where name = ${FILES[0] ?? ""}`
    const failed = await start().then(
      () => false,
      () => true
    )
    assert.isTrue(failed, "the file cannot be applied twice")
    assert.notInclude(
      (await applied()).map((row) => row.name),
      FILES[0]
    )
    await sql`insert into schema_migrations (name) values (${FILES[0] ?? ""})`
    await start()
  })
})
