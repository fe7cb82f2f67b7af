import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { freePort } from "#test/support/freePort.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
let server: TestServer
let anybody: TestApp
let operations: string
beforeAll(async () => {
  database = await createTestDatabase()
  const port = await freePort()
  operations = `http://127.0.0.1:${port}`
  server = await startTestServer({ database, env: { OPERATIONS_PORT: String(port) } })
  anybody = new TestApp(server.baseUrl, "", "")
})
afterAll(async () => {
  await server.close()
  await database.drop()
})

/** The check that fails, once one does. */
const failing = (check: string) =>
  until(`/readyz to name ${check}`, async () => {
    const { status, body } = await anybody.get("/readyz")
    return status === 503 && body.check === check ? body : undefined
  })
const ready = () =>
  until("/readyz to be ready", async () => ((await anybody.get("/readyz")).status === 200 ? true : undefined))

describe("/readyz", () => {
  it("is ready on a database that takes writes", async () => {
    const { status, body } = await anybody.get("/readyz")
    assert.deepStrictEqual([status, body], [200, { status: "ready" }])
    const [row] = await database.sql`select written_at > now() - interval '1 minute' as recent from write_probe`
    assert.deepStrictEqual({ ...row }, { recent: true })
  })

  it("names the schema if it lacks a migration, and says which", async () => {
    const [removed] = await database.sql`
      delete from schema_migrations where name like '0042%' returning name`
    const { status, message, fix } = await failing("schema")
    assert.strictEqual(status, "not_ready")
    assert.include(message, removed?.["name"])
    assert.isNotEmpty(fix)
    await database.sql`insert into schema_migrations (name) values (${removed?.["name"]})`
    await ready()
  })

  it("names the schema if a newer version has changed it, unless this version works on that schema", async () => {
    await database.sql`insert into schema_migrations (name) values ('9999_of_the_future.sql')`
    assert.include((await failing("schema")).message, "9999_of_the_future.sql")
    await database.sql`update schema_migrations set compatible_with = 45 where name = '9999_of_the_future.sql'`
    await ready()
    await database.sql`delete from schema_migrations where name = '9999_of_the_future.sql'`
    await ready()
  })

  it("names the write if the database refuses it, also on the listener for operations", async () => {
    await database.sql`
      create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`
    await database.sql`create trigger refuse before insert or update on write_probe execute function refuse()`
    assert.match((await failing("write")).message, /disk of the database is full/)
    const answer = await fetch(`${operations}/readyz`)
    assert.strictEqual(answer.status, 503)
    assert.strictEqual(((await answer.json()) as { check: string }).check, "write")
    assert.strictEqual((await anybody.get("/healthz")).status, 200)
    await database.sql`drop trigger refuse on write_probe`
    await ready()
    assert.strictEqual((await fetch(`${operations}/readyz`)).status, 200)
  })
})
