import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { randomBytes } from "node:crypto"
import { Database } from "#src/db/postgres/Database.ts"
import { migrateWith } from "#src/db/postgres/migrate.ts"
import { readMigrations } from "#src/db/postgres/migrationFiles.ts"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"

const name = `bodies_${randomBytes(6).toString("hex")}`
const url = onDatabase(inject("postgresUrl"), name)
let admin: postgres.Sql
let sql: postgres.Sql

beforeAll(async () => {
  admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
  await admin`create database ${admin(name)}`
  sql = postgres(url, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await dropDatabase(admin, name)
  await admin.end({ timeout: 1 })
})

const apply = (migrations: ReturnType<typeof readMigrations>) =>
  Effect.runPromise(
    migrateWith(migrations).pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Effect.provideService(References.MinimumLogLevel, "Fatal")
    )
  )

/** Functions with a parsed body that take or return rows of a table. */
const keepingTables = async () =>
  (
    await sql<Array<{ name: string }>>`
      select p.proname as name from pg_proc p
        where p.pronamespace = current_schema()::regnamespace and p.prosqlbody is not null and exists (
        select from unnest(p.proargtypes || p.prorettype) as used(type)
        join pg_class c on c.reltype = used.type and c.relkind in ('r', 'p')
      ) order by 1`
  ).map((row) => row.name)

describe("functions that take rows of a table", () => {
  it("have bodies as text, also in a database from before: others keep tables from new columns", async () => {
    const all = readMigrations()
    await apply(all.filter((migration) => !migration.name.endsWith("_bodies.sql")))
    assert.include(await keepingTables(), "day_used")
    await apply(all)
    assert.deepStrictEqual(await keepingTables(), [])
  })

  it("are still part of the statement that calls them", async () => {
    const plan = await sql<Array<{ "QUERY PLAN": string }>>`
      explain (verbose) select event_json(e, 'ann', 'edda') from events e`
    assert.notInclude(JSON.stringify(plan), "event_json")
  })
})
