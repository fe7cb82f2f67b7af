import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { createAccountIn } from "#test/support/createAccountIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { assertSince } from "#test/support/assertSince.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const troupe = (...args: ReadonlyArray<string>) => runTroupe({ DATABASE_URL: server.database.url }, args)
/** The output: one line of JSON, and nothing else. */
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
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Theirs", environment: "test" })).body
      .data
    const { apps } = await printed("app", "list")
    assert.deepInclude(
      apps.find((app: { app_id: string }) => app.app_id === own.appId),
      { account_id: OPERATOR, name: "test", environment: "live" }
    )
    assert.deepInclude(
      apps.find((app: { app_id: string }) => app.app_id === app_id),
      { account_id: account.accountId, name: "Theirs", environment: "test" }
    )
  })
})

describe("app create", () => {
  it("records the budget that it sets in the audit log", async () => {
    const { app_id } = await printed("app", "create", "Shop", "--budget-usd", "2.5")
    const entries = await server.database
      .sql`select action, detail from audit_log where app_id = ${app_id} order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ action }) => action),
      ["app.created", "caps.updated", "api_key.created"]
    )
    assert.deepStrictEqual(entries[1]?.["detail"], { monthly_limit_micro_usd: 2_500_000 })
  })
})

/** The single line on stderr of a command that failed and printed nothing else. */
const problemOf = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await troupe(...args)
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.match(stderr, /^troupe: [^\n]+\n$/)
  return stderr.slice("troupe: ".length, -1)
}
const changesOf = async (appId: string) =>
  (
    await server.database
      .sql`select actor_kind, action, detail from audit_log where app_id = ${appId} order by entry_id`
  ).map(({ actor_kind, action, detail }) => ({ actor_kind, action, detail }))

describe("app show and app rename", () => {
  it("show and change an app of any account as the account API does", async () => {
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Theirs", environment: "test" })).body
      .data
    const shown = await printed("app", "show", app_id)
    assert.deepStrictEqual(shown, {
      account_id: account.accountId,
      ...(await account.client.get(`/v1/account/apps/${app_id}`)).body.data
    })
    assert.deepStrictEqual(await printed("app", "rename", app_id, "Renamed"), {
      ...shown,
      name: "Renamed",
      version: shown.version + 1
    })
    assert.strictEqual((await account.client.get(`/v1/account/apps/${app_id}`)).body.data.name, "Renamed")
    const { actor_kind, action, detail } = (await changesOf(app_id)).at(-1) ?? {}
    assert.deepStrictEqual(
      [actor_kind, action, detail],
      ["operator", "app.updated", { name: "Renamed", version: shown.version + 1 }]
    )
  })

  it("report mistakes in one line, and change nothing", async () => {
    const { appId } = await server.createApp()
    assert.strictEqual(await problemOf("app", "show", "app_x"), "there is no app app_x")
    assert.strictEqual(await problemOf("app", "rename", "app_x", "Name"), "there is no app app_x")
    assert.strictEqual(await problemOf("app", "rename", appId, "two", "words"), "words: unknown argument; see --help")
    assert.strictEqual(await problemOf("app", "rename", appId, "x".repeat(81)), "NAME must be 1 to 80 characters")
    assert.strictEqual((await printed("app", "show", appId)).version, 1)
  })
})

describe("app caps", () => {
  it("changes the caps given as flags, keeps the others, and prints them as the account API does", async () => {
    const account = await createAccountIn(server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Theirs" })).body.data
    const asked = async () => ({ app_id, ...(await account.client.get(`/v1/account/apps/${app_id}/caps`)).body.data })
    assert.deepStrictEqual(await printed("app", "caps", app_id), await asked())
    const changed = await printed(
      "app",
      "caps",
      app_id,
      "--daily-budget-usd",
      "2.5",
      "--hard-stop",
      "false",
      "--end-user-daily-messages",
      "20",
      "--end-user-daily-usd",
      "0.1",
      "--messages-per-minute",
      "30"
    )
    assert.deepStrictEqual(changed, await asked())
    assert.deepInclude(changed, {
      daily_budget_usd: 2.5,
      monthly_budget_usd: null,
      hard_stop: false,
      rate_limits: { messages_per_minute: 30 }
    })
    assert.deepStrictEqual(changed.default_end_user_caps, {
      daily_messages: 20,
      daily_cost_usd: 0.1,
      monthly_cost_usd: null,
      daily_images: null
    })
    const lifted = await printed(
      "app",
      "caps",
      app_id,
      "--daily-budget-usd",
      "none",
      "--end-user-daily-messages=none",
      "--messages-per-minute",
      "none"
    )
    assert.deepStrictEqual(lifted, await asked())
    assert.deepInclude(lifted, { daily_budget_usd: null, hard_stop: false, rate_limits: { messages_per_minute: 600 } })
    assert.deepStrictEqual(lifted.default_end_user_caps, { ...changed.default_end_user_caps, daily_messages: null })
    assert.deepStrictEqual((await changesOf(app_id)).slice(1), [
      {
        actor_kind: "operator",
        action: "caps.updated",
        detail: {
          daily_limit_micro_usd: 2_500_000,
          hard_stop: false,
          messages_per_minute: 30,
          default_end_user_caps: { daily_message_limit: 20, daily_limit_micro_usd: 100_000 }
        }
      },
      {
        actor_kind: "operator",
        action: "caps.updated",
        detail: {
          daily_limit_micro_usd: null,
          messages_per_minute: null,
          default_end_user_caps: { daily_message_limit: null }
        }
      }
    ])
  })

  it("reports mistakes in one line, and changes nothing", async () => {
    const { appId } = await server.createApp()
    for (const [args, problem] of [
      [["app_x"], "there is no app app_x"],
      [
        [appId, "--daily-budget-usd", "much"],
        "--daily-budget-usd: must be a number of dollars from 0 to 1000000, or none"
      ],
      [[appId, "--daily-budget-usd", "1", "--hard-stop", "maybe"], "--hard-stop: must be one of true, false"],
      [
        [appId, "--end-user-daily-messages", "10001"],
        "--end-user-daily-messages: must be a whole number from 0 to 10000"
      ],
      [[appId, "--budget", "1"], "--budget 1: unknown argument; see --help"]
    ] as const) {
      assert.strictEqual(await problemOf("app", "caps", ...args), problem)
    }
    assert.lengthOf(
      (await changesOf(appId)).filter(({ action }) => action === "caps.updated"),
      0
    )
  })
})

describe("key list", () => {
  it("prints the keys of an app by prefix, including ended ones, and no secret", async () => {
    const { appId, key } = await server.createApp()
    const { api_key, prefix } = await printed("key", "create", appId)
    await printed("key", "revoke", prefix)
    const { app_id, api_keys } = await printed("key", "list", appId)
    assert.strictEqual(app_id, appId)
    assert.deepStrictEqual(
      api_keys.map((each: { prefix: string; name: string; status: string }) => [each.prefix, each.name, each.status]),
      [
        [key.slice(0, 11), "first key", "active"],
        [prefix, "command line", "revoked"]
      ]
    )
    assert.hasAllKeys(api_keys[0], [
      "prefix",
      "name",
      "status",
      "created_at",
      "expires_at",
      "revoked_at",
      "last_used_at",
      "replaced_by"
    ])
    assert.notInclude(JSON.stringify(api_keys), api_key.slice(11))
    assert.strictEqual(await problemOf("key", "list", "app_x"), "there is no app app_x")
  })
})

describe("key create and key rotate", () => {
  it("print one line with the key; a rotated key ends at once, or after its grace period", async () => {
    const from = Date.now()
    const { appId } = await server.createApp()
    const first = await printed("key", "create", appId)
    assert.hasAllKeys(first, ["app_id", "api_key", "prefix"])
    const second = await printed("key", "rotate", first.prefix)
    assert.deepInclude(second, { app_id: appId, replaces: first.prefix })
    assert.deepStrictEqual([await me(first.api_key), await me(second.api_key)], [403, 200])
    const third = await printed("key", "rotate", second.api_key, "--grace-seconds", "3600")
    assertSince(third.replaced_until, from, 3_600_000)
    assert.deepStrictEqual([await me(second.api_key), await me(third.api_key)], [200, 200])
    const entries = await server.database
      .sql`select actor_kind, action from audit_log where app_id = ${appId} order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ actor_kind, action }) => `${actor_kind} ${action}`),
      [
        "operator app.created",
        "operator api_key.created",
        "operator api_key.created",
        "operator api_key.rotated",
        "operator api_key.rotated"
      ]
    )
  })

  it("report mistakes in one line, and change nothing", async () => {
    const { appId, key } = await server.createApp()
    const prefix = key.slice(0, 11)
    for (const [args, problem] of [
      [["key", "rotate", "ck_00000000"], "there is no key with the prefix ck_00000000"],
      [["key", "rotate", prefix, "--grace-seconds", "much"], "--grace-seconds: must be a whole number from 0 to 86400"],
      [["key", "rotate", prefix, "--grace", "1"], "--grace 1: unknown argument; see --help"],
      [["key", "create", "app_nothing"], "there is no app app_nothing"]
    ] as const) {
      const { code, stdout, stderr } = await troupe(...args)
      assert.deepStrictEqual([code, stdout, stderr], [1, "", `troupe: ${problem}\n`])
    }
    assert.strictEqual(await me(key), 200)
    await printed("key", "revoke", prefix)
    const { stderr } = await troupe("key", "rotate", prefix)
    assert.strictEqual(stderr, "troupe: this key is already revoked, expired or rotated: create another\n")
    assert.lengthOf(await server.database.sql`select 1 from api_keys where app_id = ${appId}`, 1)
  })
})

describe("ledger check", () => {
  it("prints how many turns were checked, and fails with those that do not match", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    await app.converse(session, "Hello there.")
    assert.deepStrictEqual(await printed("ledger", "check", "--app", app.appId), { turns: 1, mismatches: [] })
    await server.database.sql`update turns set cost_micro_usd = cost_micro_usd + 1 where session_id = ${session}`
    const { code, stdout, stderr } = await troupe("ledger", "check", "--app", app.appId)
    assert.deepStrictEqual([code, stderr], [1, "troupe: the ledger does not match 1 of 1 turns\n"])
    assert.deepInclude(JSON.parse(stdout).mismatches[0], {
      app_id: app.appId,
      session_id: session,
      turn_index: 1,
      held: 0
    })
    assert.match(
      (await troupe("ledger", "check", "--days", "none")).stderr,
      /^troupe: --days must be a whole number from 1 to 3660\n$/
    )
  })
})
