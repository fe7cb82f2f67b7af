import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { OPERATOR } from "#src/db/operator.ts"
import { createAccountIn } from "#test/support/createAccountIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const troupe = (...args: ReadonlyArray<string>) => runTroupe({ DATABASE_URL: server.database.url }, args)
/** What it printed: one line of JSON, and nothing else. */
const printed = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await troupe(...args)
  assert.deepStrictEqual([code, stderr], [0, ""])
  assert.match(stdout, /^\{.*\}\n$/)
  return JSON.parse(stdout)
}
const me = async (key: string) => (await new TestApp(server.baseUrl, "", key).get("/v1/me")).status

describe("app list", () => {
  it("prints the apps of every account", async () => {
    const own = await server.createApp()
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Theirs", environment: "test" })).body.data
    const { apps } = await printed("app", "list")
    assert.deepInclude(apps.find((app: { app_id: string }) => app.app_id === own.appId), { account_id: OPERATOR, name: "test", environment: "live" })
    assert.deepInclude(apps.find((app: { app_id: string }) => app.app_id === app_id), { account_id: account.accountId, name: "Theirs", environment: "test" })
  })
})

describe("app create", () => {
  it("puts the budget that it sets in the audit log", async () => {
    const { app_id } = await printed("app", "create", "Shop", "--budget-usd", "2.5")
    const entries = await server.database.sql`select action, detail from audit_log where app_id = ${app_id} order by entry_id`
    assert.deepStrictEqual(entries.map(({ action }) => action), ["app.created", "caps.updated", "api_key.created"])
    assert.deepStrictEqual(entries[1]?.["detail"], { monthly_limit_micro_usd: 2_500_000 })
  })
})

describe("key create and key rotate", () => {
  it("print one line with the key; a rotated one ends at once, or goes on for its grace", async () => {
    const { appId } = await server.createApp()
    const first = await printed("key", "create", appId)
    assert.hasAllKeys(first, ["app_id", "api_key", "prefix"])
    const second = await printed("key", "rotate", first.prefix)
    assert.deepInclude(second, { app_id: appId, replaces: first.prefix })
    assert.deepStrictEqual([await me(first.api_key), await me(second.api_key)], [403, 200])
    const third = await printed("key", "rotate", second.api_key, "--grace-seconds", "3600")
    assert.approximately(Date.parse(third.replaced_until), Date.now() + 3_600_000, 60_000)
    assert.deepStrictEqual([await me(second.api_key), await me(third.api_key)], [200, 200])
    const entries = await server.database.sql`select actor_kind, action from audit_log where app_id = ${appId} order by entry_id`
    assert.deepStrictEqual(entries.map(({ actor_kind, action }) => `${actor_kind} ${action}`), [
      "operator app.created", "operator api_key.created", "operator api_key.created", "operator api_key.rotated", "operator api_key.rotated"
    ])
  })

  it("say in one line what was wrong, and change nothing", async () => {
    const { appId, key } = await server.createApp()
    const prefix = key.slice(0, 11)
    for (const [args, problem] of [
      [["key", "rotate", "ck_00000000"], "there is no key with the prefix ck_00000000"],
      [["key", "rotate", prefix, "--grace-seconds", "much"], "--grace-seconds: must be a whole number from 0 to 86400"],
      [["key", "rotate", prefix, "--grace", "1"], "--grace 1: not understood here; see --help"],
      [["key", "create", "app_nothing"], "there is no app app_nothing"]
    ] as const) {
      const { code, stdout, stderr } = await troupe(...args)
      assert.deepStrictEqual([code, stdout, stderr], [1, "", `troupe: ${problem}\n`])
    }
    assert.strictEqual(await me(key), 200)
    await printed("key", "revoke", prefix)
    const { stderr } = await troupe("key", "rotate", prefix)
    assert.strictEqual(stderr, "troupe: this key is revoked, expired or rotated already: create another\n")
    assert.lengthOf(await server.database.sql`select 1 from api_keys where app_id = ${appId}`, 1)
  }, 60_000)
})

describe("ledger check", () => {
  it("prints how many turns were looked at, and fails with those whose books do not agree", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    await app.converse(session, "Hello there.")
    assert.deepStrictEqual(await printed("ledger", "check", "--app", app.appId), { turns: 1, mismatches: [] })
    await server.database.sql`update turns set cost_micro_usd = cost_micro_usd + 1 where session_id = ${session}`
    const { code, stdout, stderr } = await troupe("ledger", "check", "--app", app.appId)
    assert.deepStrictEqual([code, stderr], [1, "troupe: the books of 1 of 1 turns do not agree\n"])
    assert.deepInclude(JSON.parse(stdout).mismatches[0], { app_id: app.appId, session_id: session, turn_index: 1, held: 0 })
    assert.match((await troupe("ledger", "check", "--days", "none")).stderr, /^troupe: --days must be a whole number from 1 to 3660\n$/)
  })
})
