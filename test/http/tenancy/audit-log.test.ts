import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn, type TestAccount } from "#test/support/createAccountIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { assertSince } from "#test/support/assertSince.ts"

const PATH = "/v1/account/audit-log"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Entry {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly actor: { readonly kind: string; readonly id: string | null }
  readonly app_id: string | null
  readonly subject: string | null
  readonly detail: Record<string, unknown>
}
const entries = async ({ client }: TestAccount, query = ""): Promise<ReadonlyArray<Entry>> =>
  (await client.get(PATH + query)).body.data.entries
const createApp = async ({ client }: TestAccount) => {
  const appId: string = (await client.post("/v1/account/apps", { name: "Shop" })).body.data.app_id
  const { api_key, prefix } = (await client.post(`/v1/account/apps/${appId}/api-keys`, { name: "backend" })).body.data
  return {
    path: `/v1/account/apps/${appId}`,
    prefix: prefix as string,
    app: new TestApp(server.baseUrl, appId, api_key)
  }
}

describe("the audit log of an account", () => {
  it("shows what was changed, by whom and when, the newest first, with caps as they were given", async () => {
    const from = Date.now()
    const account = await createAccountIn(server)
    const { app, path, prefix } = await createApp(account)
    await account.client.patch(`${path}/caps`, {
      daily_budget_usd: 1.5,
      monthly_budget_usd: null,
      default_end_user_caps: { daily_messages: 20, daily_cost_usd: 0.25 }
    })
    await app.createSession({ external_user_ref: "Ann" })
    await app.patch("/v1/end-users/Ann/caps", { monthly_cost_usd: 2, daily_images: null })
    const [own, caps, key, made] = await entries(account)
    const [token, runtime] = [
      { kind: "account_token", id: account.prefix },
      { kind: "runtime_key", id: prefix }
    ]
    assert.deepInclude(own, {
      action: "end_user_caps.updated",
      actor: runtime,
      app_id: app.appId,
      subject: "Ann",
      detail: { monthly_cost_usd: 2, daily_images: null }
    })
    assert.deepInclude(caps, {
      action: "caps.updated",
      actor: token,
      detail: {
        daily_budget_usd: 1.5,
        monthly_budget_usd: null,
        default_end_user_caps: { daily_messages: 20, daily_cost_usd: 0.25 }
      }
    })
    assert.deepInclude(key, { action: "api_key.created", actor: token, subject: prefix })
    assert.deepInclude(made, {
      action: "app.created",
      actor: token,
      app_id: app.appId,
      subject: null,
      detail: { name: "Shop", environment: "live" }
    })
    assertSince(made?.at, from)
  })

  it("is read in pages, and by app", async () => {
    const account = await createAccountIn(server)
    const [first, second] = [await createApp(account), await createApp(account)]
    const all = await entries(account)
    assert.deepStrictEqual(
      all.map(({ action, app_id }) => [action, app_id]),
      [second, first].flatMap(({ app }) => [
        ["api_key.created", app.appId],
        ["app.created", app.appId]
      ])
    )
    const { data } = (await account.client.get(`${PATH}?limit=3`)).body
    assert.deepStrictEqual([...data.entries, ...(await entries(account, `?limit=3&cursor=${data.next_cursor}`))], all)
    assert.deepStrictEqual(await entries(account, `?app_id=${first.app.appId}`), all.slice(2))
    assert.strictEqual((await account.client.get(`${PATH}?cursor=%`)).status, 422)
  })

  it("belongs to one account, and requires the scope apps:read", async () => {
    const [account, other] = [await createAccountIn(server), await createAccountIn(server)]
    const { app } = await createApp(account)
    assert.deepStrictEqual(await entries(other), [])
    assert.deepStrictEqual(await entries(other, `?app_id=${app.appId}`), [])
    const writer = await createAccountIn(server, { accountId: account.accountId, scopes: ["apps:write"] })
    assert.strictEqual((await writer.client.get(PATH)).body.detail.code, "scope_missing")
    assert.strictEqual((await app.get(PATH)).status, 403)
  })

  it("shows which key blocked whom, once for each time, and that somebody was erased, but not who", async () => {
    const account = await createAccountIn(server)
    const { app, prefix } = await createApp(account)
    await app.createSession({ external_user_ref: "Bob" })
    for (const body of [
      { blocked: true },
      { blocked: true, display_name: "Bob" },
      { blocked: false },
      { locale: "de" }
    ])
      await app.patch("/v1/end-users/Bob", body)
    const [first, again] = [await app.delete("/v1/end-users/Bob"), await app.delete("/v1/end-users/Bob")]
    const about = (await entries(account)).filter(({ action }) => action.startsWith("end_user."))
    const actor = { kind: "runtime_key", id: prefix }
    assert.deepStrictEqual(
      about.map(({ action, actor, app_id, subject, detail }) => ({ action, actor, app_id, subject, detail })),
      [
        { action: "end_user.erased", actor, app_id: app.appId, subject: first.body.data.erasure_id, detail: {} },
        { action: "end_user.unblocked", actor, app_id: app.appId, subject: "Bob", detail: {} },
        { action: "end_user.blocked", actor, app_id: app.appId, subject: "Bob", detail: {} }
      ]
    )
    assert.include([200, 404], again.status)
  })
})
