import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { consoleCodeIn } from "#test/support/accounts/consoleCodeIn.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { dropDatabase } from "#test/support/postgres/dropDatabase.ts"
import { onDatabase } from "#test/support/postgres/onDatabase.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-token-of-the-operator"
const folder = mkdtempSync(join(tmpdir(), "troupe-restored-"))
const [backup, erasures] = [join(folder, "troupe.backup"), join(folder, "erasures")]
const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} })
const made: Array<string> = []

let original: TestServer
let app: TestApp
let character_slug: string

/** A new empty database. */
const emptyDatabase = async () => {
  const name = `restored_${randomBytes(6).toString("hex")}`
  await admin`create database ${admin(name)}`
  made.push(name)
  return onDatabase(inject("postgresUrl"), name)
}
const printed = async (url: string, ...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await runTroupe({ DATABASE_URL: url, SECRETS_KEY }, args)
  assert.strictEqual(code, 0, stderr)
  return { said: JSON.parse(stdout), stderr }
}
/** A server on a restored database. */
const startOn = (url: string) => {
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  return startTestServer({ database: { url, sql, drop: () => sql.end({ timeout: 1 }) }, env: { ADMIN_TOKEN } })
}
const talk = async (external_user_ref: string) => {
  const session = await app.createSession({ character_slug, external_user_ref })
  await app.converse(session, "My sister Ida lives in Bergen.")
  return session
}
const isErased = (by: TestApp, erasureId: string) =>
  until("the erasure to be completed", async () => {
    const { body } = await by.get(`/v1/erasures/${erasureId}`)
    return body.data?.status === "completed" && body.data
  })
const erase = async (ref: string): Promise<string> => {
  const { erasure_id } = (await app.delete(`/v1/end-users/${ref}`)).body.data
  await isErased(app, erasure_id)
  return erasure_id
}

beforeAll(async () => {
  original = await startTestServer({ env: { ADMIN_TOKEN } })
  app = await original.createApp()
  character_slug = await app.createCharacter()
})
afterAll(async () => {
  await original.close()
  for (const name of made) await dropDatabase(admin, name)
  await admin.end({ timeout: 1 })
  rmSync(folder, { recursive: true, force: true })
})

describe("a restore of a backup that is older than some changes", () => {
  it("brings back no access of operators and nobody who was erased, and says what else is valid again", async () => {
    const machine = await createOperatorIn(original, "owner")
    const browser = await createOperatorSessionIn(original, "owner")
    const code = await consoleCodeIn(original)
    const account = await createAccountIn(original)
    const other = await original.createApp()
    const [olga, stays] = [await talk("olga-of-bergen"), await talk("ada-of-oslo")]
    const early = await talk("erik-of-narvik")
    const earlier = await erase("erik-of-narvik")
    // Came back, and is in the backup.
    const again = await talk("erik-of-narvik")
    const { said: backedUp } = await printed(original.database.url, "backup", backup)

    await printed(original.database.url, "key", "revoke", other.key)
    const later = await erase("olga-of-bergen")
    await talk("nora-of-voss")
    const newcomer = await erase("nora-of-voss")
    const { said: exported } = await printed(original.database.url, "erasures", "export", erasures)
    assert.strictEqual(exported.erasures, 3)
    assert.strictEqual(statSync(erasures).mode & 0o777, 0o600)
    for (const name of ["olga", "erik", "nora", "bergen", "Lives", "Ida"])
      assert.notInclude(readFileSync(erasures, "utf8"), name)
    const twice = await runTroupe({ DATABASE_URL: original.database.url }, ["erasures", "export", erasures])
    assert.deepStrictEqual([twice.code, twice.stderr], [1, `troupe: ${erasures} exists already: give another name\n`])

    const url = await emptyDatabase()
    const { said, stderr } = await printed(url, "restore", backup, "--repeat-erasures", erasures)
    assert.strictEqual(said.made_at, backedUp.made_at)
    assert.include(stderr, backedUp.made_at)
    assert.deepStrictEqual(said.ended, { operator_tokens: 1, operator_sessions: 1, sign_in_links: 1 })
    assert.strictEqual(said.repeated_erasures, 1)
    const prefixes = said.app_keys.keys.map(({ prefix }: { prefix: string }) => prefix)
    assert.strictEqual(said.app_keys.count, prefixes.length)
    assert.includeMembers(
      prefixes,
      [app, other].map(({ key }) => key.slice(0, 11))
    )
    assert.deepInclude(said.account_tokens.tokens, {
      account_id: account.accountId,
      prefix: account.prefix,
      client_name: "test"
    })

    const server = await startOn(url)
    const owner = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
    const restored = new TestApp(server.baseUrl, app.appId, app.key)
    assert.strictEqual((await new TestApp(server.baseUrl, "", machine.key).get("/admin/me")).status, 401)
    assert.strictEqual((await fetch(`${server.baseUrl}/admin/me`, { headers: browser.headers })).status, 401)
    assert.strictEqual((await fetch(`${server.baseUrl}/console/sign-in?code=${code}`)).status, 403)
    for (const id of [later, newcomer, earlier]) await isErased(restored, id)
    const statusOf = async (session: string) => (await restored.get(`/v1/sessions/${session}`)).status
    assert.deepStrictEqual(
      await Promise.all([olga, stays, early, again].map(statusOf)),
      [404, 200, 404, 200],
      "who was erased since the backup, who was not, and who came back before it"
    )
    const [entry] = (await owner.get("/admin/audit?action=server.restored")).body.data.entries
    assert.deepInclude(entry.detail, { backup_made_at: backedUp.made_at, operator_tokens: 1, repeated_erasures: 1 })
    const [repeated] = (await owner.get(`/admin/audit?subject=${later}`)).body.data.entries
    assert.deepInclude(repeated, { action: "end_user.erased", app_id: app.appId })
    await server.close()
    // Whoever restores the same backup again has all of them.
    const { said: kept } = await printed(url, "erasures", "export", `${erasures}-2`)
    assert.strictEqual(kept.erasures, 3)
  })

  it("without the file of erasures says that they are not repeated", async () => {
    const { said, stderr } = await printed(await emptyDatabase(), "restore", backup)
    assert.strictEqual(said.repeated_erasures, 0)
    assert.include(stderr, "--repeat-erasures")
  })

  it("refuses a file of erasures that is incomplete, and leaves nothing", async () => {
    const url = await emptyDatabase()
    const lines = readFileSync(erasures, "utf8").trimEnd().split("\n")
    const damaged = join(folder, "damaged")
    for (const some of [lines.slice(0, -1), [...lines.slice(0, 2), lines.at(-1)], lines.slice(1), ["{}"]]) {
      writeFileSync(damaged, some.join("\n"))
      const env = { DATABASE_URL: url, SECRETS_KEY }
      const { code, stderr } = await runTroupe(env, ["restore", backup, "--repeat-erasures", damaged])
      assert.deepStrictEqual([code, stderr.includes("is not a usable list of erasures")], [1, true], stderr)
    }
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    assert.lengthOf(await sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`, 0)
    await sql.end({ timeout: 1 })
  })
})
