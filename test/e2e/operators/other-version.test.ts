import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { assert, describe, inject, it, onTestFinished } from "vitest"
import { hasPostgres15, startPostgres15 } from "#test/support/postgres/DebianPostgres.ts"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { readZip } from "#test/support/files/readZip.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

interface Manifest {
  readonly tables: ReadonlyArray<{ readonly name: string; readonly rows: number; readonly sha256: string }>
}
/**
 * What a restore writes itself: its entry in the audit log, the hold of all deliveries, and the end of the feed's
 * epoch, because positions have other numbers on another server.
 */
const OF_THE_SERVER: ReadonlySet<string> = new Set(["audit_log", "telegram_holds", "feed_epochs"])

const manifestOf = async (file: string): Promise<Manifest> =>
  JSON.parse((await readZip(readFileSync(file))).get("manifest.json")?.toString() ?? "{}")
const contentOf = async (file: string) => (await manifestOf(file)).tables.filter(({ name }) => !OF_THE_SERVER.has(name))

const succeeds = async (url: string, args: ReadonlyArray<string>) => {
  const { code, stderr } = await runTroupe({ DATABASE_URL: url, SECRETS_KEY }, args)
  assert.strictEqual(code, 0, stderr)
}

describe.skipIf(!hasPostgres15)("a backup (needs Debian's postgresql-15)", () => {
  it("moves to PostgreSQL 15 and back, with equal checksums, and the conversation goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-version-"))
    const [first, second, third] = ["first", "second", "third"].map((name) => join(folder, name))
    if (first === undefined || second === undefined || third === undefined) throw new Error("three files")
    const text = "My sister Ida lives in Bergen."
    const once = { "idempotency-key": "the-first" }

    const newest = await startTestServer()
    const { appId, key } = await newest.createApp()
    const before = new TestApp(newest.baseUrl, appId, key)
    const session = await before.createSession()
    const sent = (await before.send(session, text, once)).body.data
    const answered = await before.converse(session, "What is for dinner?")
    await succeeds(newest.database.url, ["backup", first])
    await newest.close()

    const old = await startPostgres15()
    onTestFinished(() => old.stop())
    const oldSql = postgres(old.url, { max: 1, onnotice: () => {} })
    await oldSql`create database moved`
    const oldUrl = onDatabase(old.url, "moved")
    await succeeds(oldUrl, ["restore", first])
    await succeeds(oldUrl, ["backup", second])
    assert.deepStrictEqual(await contentOf(second), await contentOf(first))

    const moved = postgres(oldUrl, { max: 2, onnotice: () => {} })
    const [{ version } = { version: "" }] = await moved<Array<{ version: string }>>`
      select current_setting('server_version') as version`
    assert.match(version, /^15\./)
    const onOld = await startTestServer({
      database: { url: oldUrl, sql: moved, drop: () => moved.end({ timeout: 1 }) }
    })
    const after = new TestApp(onOld.baseUrl, appId, key)
    const again = (await after.send(session, text, once)).body.data
    assert.deepStrictEqual([again.cursor, again.run_ref], [sent.cursor, sent.run_ref])
    const last = await after.converse(session, "Where does my sister live?")
    assert.strictEqual(last.type, "message.created")
    assert.isAbove(last.cursor, answered.cursor)
    await succeeds(oldUrl, ["backup", third])
    await onOld.close()

    const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
    const name = `back_${session.slice(-12).toLowerCase()}`
    await admin`create database ${admin(name)}`
    const backUrl = onDatabase(inject("postgresUrl"), name)
    await succeeds(backUrl, ["restore", third])
    const fourth = join(folder, "fourth")
    await succeeds(backUrl, ["backup", fourth])
    assert.deepStrictEqual(await contentOf(fourth), await contentOf(third))

    await dropDatabase(admin, name)
    await admin.end({ timeout: 1 })
    await oldSql.end({ timeout: 1 })
    rmSync(folder, { recursive: true, force: true })
  })
})
