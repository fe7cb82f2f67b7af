import { createHash, randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { Database } from "#src/db/postgres/Database.ts"
import { migrate, migrateWith } from "#src/db/postgres/migrate.ts"
import { type Migration, readMigrations } from "#src/db/postgres/migrationFiles.ts"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

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
const start = (migrating: typeof migrate = migrate) =>
  Effect.runPromise(
    migrating.pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Effect.provideService(References.MinimumLogLevel, "Fatal")
    )
  )

/** A file of a later version. */
const file = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: createHash("sha256").update(text).digest("hex"),
  isTransactional: !text.startsWith("-- outside a transaction"),
  compatibleWith: null
})
const refusal = (migrations: ReadonlyArray<Migration>) =>
  start(migrateWith(migrations)).then(
    () => "applied",
    (error: unknown) => String(error)
  )

const applied = () =>
  sql<Array<{ name: string; xmin: string }>>`select name, xmin::text from schema_migrations order by name`

describe("migrations", () => {
  it("are applied once each if five processes start together on an empty database", async () => {
    await Promise.all(Array.from({ length: 5 }, () => start()))
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

  it("are recorded with a checksum, and a file that has changed since is named", async () => {
    const [released, ...rest] = readMigrations()
    if (released === undefined) return assert.fail("there are no migrations")
    const edited = { ...released, checksum: file(released.name, `${released.text} `).checksum }
    const [row] = await sql`select checksum from schema_migrations where name = ${released.name}`
    assert.strictEqual(row?.["checksum"], released.checksum)
    assert.include(await refusal([edited, ...rest]), `have changed since they were applied: ${released.name}`)
  })

  it("give up a lock that they do not get soon, so that others can go on, and try again", async () => {
    await sql`create table busy (id int)`
    const other = postgres(url, { max: 1, onnotice: () => {} })
    const migrating = await other.begin(async (holding) => {
      await holding`lock table busy in access share mode`
      const pending = start(migrateWith([file("9001_busy.sql", "alter table busy add column more int")]))
      const waits = async (isWaiting: boolean) =>
        until(`the migration to ${isWaiting ? "wait for" : "give up"} its lock`, async () => {
          const found = await sql`select 1 from pg_locks where relation = 'busy'::regclass and not granted`
          return found.length > 0 === isWaiting ? true : undefined
        })
      await waits(true)
      await waits(false)
      return { pending }
    })
    await other.end()
    assert.deepStrictEqual(await migrating.pending, ["9001_busy.sql"])
  })

  it("run a marked file outside a transaction, also after it has died halfway", async () => {
    await sql`create table twins (id int)`
    await sql`insert into twins values (1), (1)`
    const files = [
      file("9002_before.sql", "create table before_index ()"),
      file("9003_index.sql", "-- outside a transaction\ncreate unique index concurrently twins_by_id on twins (id)"),
      file("9004_after.sql", "create table after_index ()")
    ]
    assert.include(await refusal(files), "23505")
    const [invalid] = await sql`select indisvalid from pg_index where indexrelid = 'twins_by_id'::regclass`
    assert.deepStrictEqual({ ...invalid }, { indisvalid: false })
    await sql`delete from twins where ctid = '(0,1)'`
    assert.deepStrictEqual(await start(migrateWith(files)), ["9003_index.sql", "9004_after.sql"])
    const [valid] = await sql`select indisvalid from pg_index where indexrelid = 'twins_by_id'::regclass`
    assert.deepStrictEqual({ ...valid }, { indisvalid: true })
    await sql`delete from schema_migrations where name like '9%'`
  })

  it("say of each new file whether older processes work beside it, and record it", async () => {
    const unmarked = readMigrations().filter(({ name, text, compatibleWith }) =>
      name >= "0046" ? compatibleWith === null && !text.includes("-- not compatible with older processes\n") : false
    )
    assert.deepStrictEqual(
      unmarked.map(({ name }) => name),
      [],
      "see docs/contribute/database.md"
    )
    const rows = await sql`select name from schema_migrations where compatible_with is not null order by 1`
    const marked = readMigrations().filter(({ compatibleWith }) => compatibleWith !== null)
    assert.deepStrictEqual(
      rows.map((row) => row["name"]),
      marked.map(({ name }) => name)
    )
  })

  it("of a newer version are refused by an older process, unless it works beside them", async () => {
    const known = Number((FILES.at(-1) ?? "").slice(0, 4))
    const newer = (compatible: number | null) => sql`
      insert into schema_migrations (name, compatible_with) values ('9100_newer.sql', ${compatible})
      on conflict (name) do update set compatible_with = excluded.compatible_with`
    await newer(null)
    assert.include(await refusal(readMigrations()), "does not know: 9100_newer.sql")
    await newer(known + 1)
    assert.include(await refusal(readMigrations()), "does not know: 9100_newer.sql")
    await newer(known)
    assert.deepStrictEqual(await start(), [])
    const env = { DATABASE_URL: url, AUTO_MIGRATE: "false" }
    assert.strictEqual((await runTroupe(env, ["app", "list"])).code, 0)
    await newer(null)
    assert.include((await runTroupe(env, ["app", "list"])).stderr, "9100_newer.sql")
    await sql`delete from schema_migrations where name = '9100_newer.sql'`
  })

  it("are left to the operator with AUTO_MIGRATE=false: a server does not start until they are applied", async () => {
    const last = FILES.at(-1) ?? ""
    const env = { DATABASE_URL: url, AUTO_MIGRATE: "false" }
    const other = `late_${randomBytes(6).toString("hex")}`
    await admin`create database ${admin(other)}`
    const empty = { ...env, DATABASE_URL: onDatabase(url, other) }
    const refused = await runTroupe(empty, ["serve"])
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
    assert.match(
      refused.stderr,
      new RegExp(`^troupe: The schema lacks .*${last}.*"npm run -s troupe -- migrate"\\.\n$`)
    )
    const migrated = await runTroupe(empty, ["migrate"])
    assert.deepStrictEqual(JSON.parse(migrated.stdout), { applied: FILES, schema: last })
    assert.strictEqual((await runTroupe(empty, ["app", "list"])).code, 0)
    await dropDatabase(admin, other)
  })
})
