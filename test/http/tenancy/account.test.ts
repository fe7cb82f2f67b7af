import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { mintApiKey } from "#src/accounts/apiKey.ts"
import { mint } from "#src/accounts/credential.ts"
import { ALL_SCOPES, type Scope } from "#src/accounts/scopes.ts"
import { createAccountIn, type TestAccount } from "#test/support/createAccountIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let account: TestAccount
let other: TestAccount
beforeAll(async () => {
  server = await startTestServer()
  account = await createAccountIn(server)
  other = await createAccountIn(server)
})
afterAll(() => server.close())

const createApp = async ({ client }: TestAccount, body: object = { name: "App" }): Promise<string> =>
  (await client.post("/v1/account/apps", body)).body.data.app_id
const keysOf = (appId: string) => `/v1/account/apps/${appId}/api-keys`
const createKey = async ({ client }: TestAccount, appId: string, body: object = {}) => {
  const { api_key, prefix } = (await client.post(keysOf(appId), body)).body.data
  return { prefix, by: new TestApp(server.baseUrl, appId, api_key) }
}
const shape = ({ status, body }: Answer) => [status, typeof body.detail === "string" ? "plain" : body.detail?.code]
const auditOf = async (accountId: string) =>
  (
    await server.database.sql<Array<{ entry: unknown }>>`
    select jsonb_build_object('actor_kind', actor_kind, 'actor', actor, 'action', action, 'app_id', app_id, 'subject',
      subject) as entry
    from audit_log where account_id = ${accountId} order by entry_id`
  ).map(({ entry }) => entry)

describe("the account plane", () => {
  it("shows whose token it is, what it may do and which other tokens exist", async () => {
    const {
      status,
      body: { data }
    } = await account.client.get("/v1/account")
    assert.strictEqual(status, 200)
    assert.deepInclude(data, { account_id: account.accountId, name: "Ada", email: null })
    assert.deepInclude(data.token, { prefix: account.prefix, client_name: "test", scopes: ALL_SCOPES })
    assert.deepStrictEqual(
      data.tokens.map((token: { prefix: string }) => token.prefix),
      [account.prefix]
    )
  })

  it("accepts an account token and no other credential", async () => {
    const app = await server.createApp()
    const unknown = mint("lat_")
    const as = (key: string) => new TestApp(server.baseUrl, "", key).get("/v1/account")
    assert.deepStrictEqual(shape(await as("")), [401, "plain"])
    for (const key of [app.key, unknown.secret, "lat_", "lat_short", `${account.client.key}0`, "sk-something"])
      assert.deepStrictEqual(shape(await as(key)), [403, "plain"], key)
    const ofTheProvider = await as("ak_0123456789")
    assert.deepStrictEqual(shape(ofTheProvider), [401, "idp_account_api_key_not_service_key"])
    // A runtime key, which helps elsewhere, would not help here.
    assert.include(ofTheProvider.body.detail.fix, "lat_")
    await server.database
      .sql`insert into account_tokens (prefix, account_id, client_name, scopes, secret_hash, expires_at)
      values (${unknown.prefix}, ${account.accountId}, 'expired', ${[...ALL_SCOPES]}::text[], ${unknown.secretHash},
        now())`
    assert.deepStrictEqual(shape(await as(unknown.secret)), [403, "plain"])
  })

  it("is the only place that accepts an account token", async () => {
    assert.deepStrictEqual(shape(await account.client.get("/v1/me")), [401, "account_token_used_as_runtime_key"])
  })

  const routes: ReadonlyArray<{
    readonly method: string
    readonly path: string
    readonly scope: Scope
    readonly body?: object
  }> = [
    { method: "GET", path: "/v1/account/apps", scope: "apps:read" },
    { method: "POST", path: "/v1/account/apps", scope: "apps:write", body: { name: "x" } },
    { method: "GET", path: "/v1/account/apps/{app_id}", scope: "apps:read" },
    { method: "PATCH", path: "/v1/account/apps/{app_id}", scope: "apps:write", body: { name: "x" } },
    { method: "GET", path: "/v1/account/apps/{app_id}/api-keys", scope: "apps:read" },
    { method: "POST", path: "/v1/account/apps/{app_id}/api-keys", scope: "keys:write", body: {} },
    { method: "POST", path: "/v1/account/apps/{app_id}/api-keys/{prefix}/rotate", scope: "keys:write", body: {} },
    { method: "POST", path: "/v1/account/apps/{app_id}/api-keys/{prefix}/revoke", scope: "keys:write" }
  ]
  it.each(routes)(
    "$method $path requires the scope $scope, and nothing else",
    async ({ method, path, scope, body }) => {
      const appId = await createApp(account)
      const { prefix } = await createKey(account, appId)
      const concrete = path.replace("{app_id}", appId).replace("{prefix}", prefix)
      const without = await createAccountIn(server, {
        accountId: account.accountId,
        scopes: ALL_SCOPES.filter((one) => one !== scope)
      })
      const refused = await without.client.request(method, concrete, body)
      assert.deepStrictEqual(shape(refused), [403, "scope_missing"])
      assert.include(refused.body.detail.message, scope)
      const only = await createAccountIn(server, { accountId: account.accountId, scopes: [scope] })
      assert.strictEqual((await only.client.request(method, concrete, body)).status, 200)
    }
  )
})

describe("an account token", () => {
  it("revokes itself, at once and permanently", async () => {
    const own = await createAccountIn(server, { scopes: ["usage:read"] })
    const { body } = await own.client.post("/v1/account/token/revoke", undefined)
    assert.deepStrictEqual(body.data, { prefix: own.prefix, revoked: true })
    assert.deepStrictEqual(shape(await own.client.get("/v1/account")), [403, "plain"])
  })

  it("revokes another token of its account if permitted, and none of another account", async () => {
    const lost = await createAccountIn(server, { accountId: account.accountId })
    const weak = await createAccountIn(server, { accountId: account.accountId, scopes: ["apps:read"] })
    assert.deepStrictEqual(shape(await weak.client.post("/v1/account/token/revoke", { prefix: lost.prefix })), [
      403,
      "scope_missing"
    ])
    for (const prefix of [other.prefix, mint("lat_").prefix]) {
      assert.deepStrictEqual(shape(await account.client.post("/v1/account/token/revoke", { prefix })), [
        404,
        "token_not_found"
      ])
    }
    assert.strictEqual((await account.client.post("/v1/account/token/revoke", { prefix: lost.prefix })).status, 200)
    assert.deepStrictEqual(shape(await lost.client.get("/v1/account")), [403, "plain"])
    assert.strictEqual((await other.client.get("/v1/account")).status, 200)
  })
})

describe("an account's apps", () => {
  it("are created, listed, read and changed", async () => {
    const own = await createAccountIn(server)
    const made = await own.client.post("/v1/account/apps", { name: "Shop", environment: "test", nmae: "typo" })
    assert.strictEqual(made.status, 200)
    assert.deepInclude(made.body.data, { name: "Shop", environment: "test", version: 1, ignored_fields: ["nmae"] })
    const appId = made.body.data.app_id
    const changed = await own.client.patch(`/v1/account/apps/${appId}`, {
      name: "Shop 2",
      environment: "live",
      expected_version: 1
    })
    assert.deepInclude(changed.body.data, { name: "Shop 2", environment: "live", version: 2 })
    assert.deepStrictEqual(
      shape(await own.client.patch(`/v1/account/apps/${appId}`, { name: "Shop 3", expected_version: 1 })),
      [409, "version_conflict"]
    )
    assert.deepStrictEqual((await own.client.get(`/v1/account/apps/${appId}`)).body.data, changed.body.data)
    const { apps, next_cursor } = (await own.client.get("/v1/account/apps?limit=1")).body.data
    assert.deepStrictEqual([apps.map((app: { app_id: string }) => app.app_id), next_cursor], [[appId], null])
  })

  it("are created once under an Idempotency-Key, which belongs to the account", async () => {
    const key = { "idempotency-key": "first app" }
    const [first, again, foreign] = [
      await account.client.post("/v1/account/apps", { name: "One" }, key),
      await account.client.post("/v1/account/apps", { name: "One" }, key),
      await other.client.post("/v1/account/apps", { name: "One" }, key)
    ]
    assert.strictEqual(again.body.data.app_id, first.body.data.app_id)
    assert.isTrue(again.body.data.idempotent_replay)
    assert.notStrictEqual(foreign.body.data.app_id, first.body.data.app_id)
    assert.deepStrictEqual(shape(await account.client.post("/v1/account/apps", { name: "Two" }, key)), [
      422,
      "idempotency_key_reused"
    ])
  })

  it("are limited to a hundred, also for concurrent requests", async () => {
    const own = await createAccountIn(server)
    const { sql } = server.database
    await sql`
      insert into apps
      ${sql(Array.from({ length: 95 }, () => ({ app_id: newId("app"), account_id: own.accountId, name: "many" })))}`
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => own.client.post("/v1/account/apps", { name: "one more" }))
    )
    assert.deepStrictEqual(
      answers.map(shape).filter(([status]) => status !== 200),
      Array.from({ length: 7 }, () => [409, "app_limit_reached"])
    )
  })

  it("need a name", async () => {
    for (const body of [
      {},
      { name: "" },
      { name: " " },
      { name: "x".repeat(81) },
      { name: "x", environment: "staging" }
    ]) {
      assert.deepStrictEqual(shape(await account.client.post("/v1/account/apps", body)), [422, "validation_error"])
    }
  })

  it("of the operator belong to nobody else", async () => {
    const { appId } = await server.createApp()
    assert.deepStrictEqual(shape(await account.client.get(`/v1/account/apps/${appId}`)), [404, "app_not_found"])
  })
})

describe("a runtime key", () => {
  it("is shown once, works for its app, and is listed by prefix with its last use", async () => {
    const appId = await createApp(account)
    const created = await account.client.post(keysOf(appId), { name: "backend" }, { "idempotency-key": "key" })
    const { api_key, ...rest } = created.body.data
    assert.deepInclude(rest, { name: "backend", status: "active", expires_at: null, last_used_at: null })
    const replay = (await account.client.post(keysOf(appId), { name: "backend" }, { "idempotency-key": "key" })).body
      .data
    assert.deepStrictEqual(replay, { ...rest, idempotent_replay: true })
    const stored = await server.database.sql`
        select to_jsonb(k) as row from api_keys k where prefix = ${rest.prefix} union all select to_jsonb(i)
        from idempotency_keys i union all select to_jsonb(a) from audit_log a`
    assert.notInclude(JSON.stringify(stored), api_key.slice(11))

    assert.strictEqual((await new TestApp(server.baseUrl, appId, api_key).get("/v1/me")).body.data.app_id, appId)
    const used = await until("its use to be recorded", async () => {
      const { api_keys } = (await account.client.get(keysOf(appId))).body.data
      return api_keys[0].last_used_at !== null && api_keys
    })
    assert.deepStrictEqual(
      used.map((key: { prefix: string }) => key.prefix),
      [rest.prefix]
    )
    assert.notInclude(JSON.stringify(used), api_key.slice(11))
  })

  it("has its use recorded at most once a minute, however often it is used", async () => {
    const appId = await createApp(account)
    const { by, prefix } = await createKey(account, appId)
    const { sql } = server.database
    const noted = async () =>
      (
        await sql<
          Array<{ last_used_at: Date | null; xmin: string }>
        >`select last_used_at, xmin::text from api_keys where prefix = ${prefix}`
      )[0]
    await by.get("/v1/me")
    const first = await until("its use to be recorded", async () => {
      const row = await noted()
      return row?.last_used_at !== null && row
    })
    const again = await startTestServer({ database: server.database })
    for (let n = 0; n < 5; n++) await new TestApp(again.baseUrl, appId, by.key).get("/v1/me")
    assert.deepStrictEqual(await noted(), first)
    await again.close()
  })

  it("stops working at its expiry: 403 api_key_expired", async () => {
    const appId = await createApp(account)
    for (const expires_at of ["2020-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"])
      assert.deepStrictEqual(
        shape(await account.client.post(keysOf(appId), { expires_at })),
        [422, "validation_error"],
        expires_at
      )
    const { by, prefix } = await createKey(account, appId, { expires_at: "2099-01-01T00:00:00+02:00" })
    assert.strictEqual((await by.get("/v1/me")).status, 200)
    const stream = await openStream(by)
    await server.database.sql`update api_keys set expires_at = now() where prefix = ${prefix}`
    await until("the stream to end", () => stream.complete)
    await until("the key to be refused", async () => (await by.get("/v1/me")).status === 403)
    assert.deepStrictEqual(shape(await by.get("/v1/me")), [403, "api_key_expired"])
    assert.strictEqual((await account.client.get(keysOf(appId))).body.data.api_keys[0].status, "expired")
  })

  it("must belong to the app: 404 api_key_not_found", async () => {
    const [appId, elsewhere] = [await createApp(account), await createApp(account)]
    const { prefix } = await createKey(account, elsewhere)
    for (const one of [prefix, mintApiKey().prefix, "ck_", "%00", "x".repeat(300)]) {
      for (const action of ["rotate", "revoke"]) {
        assert.deepStrictEqual(shape(await account.client.post(`${keysOf(appId)}/${one}/${action}`, undefined)), [
          404,
          "api_key_not_found"
        ])
      }
    }
  })

  it("is replaced at once when it is rotated without grace", async () => {
    const appId = await createApp(account)
    const { by, prefix } = await createKey(account, appId, { name: "backend", expires_at: "2099-01-01T00:00:00Z" })
    const stream = await openStream(by)
    const {
      status,
      body: { data }
    } = await account.client.post(`${keysOf(appId)}/${prefix}/rotate`, undefined)
    assert.strictEqual(status, 200)
    assert.deepInclude(data, { name: "backend", status: "active", expires_at: "2099-01-01T00:00:00.000Z" })
    assert.deepInclude(data.replaces, { prefix, status: "revoked", replaced_by: data.prefix })
    assert.deepStrictEqual(shape(await by.get("/v1/me")), [403, "plain"])
    await until("the stream to end", () => stream.complete)
    assert.strictEqual((await new TestApp(server.baseUrl, appId, data.api_key).get("/v1/me")).status, 200)
  })

  it("keeps working beside the new one for the grace period, and no longer", async () => {
    const appId = await createApp(account)
    const { by, prefix } = await createKey(account, appId)
    const {
      body: { data }
    } = await account.client.post(
      `${keysOf(appId)}/${prefix}/rotate`,
      { grace_seconds: 3600 },
      { "idempotency-key": "rotate" }
    )
    for (const key of [by.key, data.api_key])
      assert.strictEqual((await new TestApp(server.baseUrl, appId, key).get("/v1/me")).status, 200)
    const replay = (
      await account.client.post(
        `${keysOf(appId)}/${prefix}/rotate`,
        { grace_seconds: 3600 },
        { "idempotency-key": "rotate" }
      )
    ).body.data
    assert.deepStrictEqual([replay.prefix, replay.api_key, replay.idempotent_replay], [data.prefix, undefined, true])
    assert.deepStrictEqual(shape(await account.client.post(`${keysOf(appId)}/${prefix}/rotate`, {})), [
      409,
      "api_key_ended"
    ])
    await server.database.sql`update api_keys set expires_at = expires_at - interval '1 hour' where prefix = ${prefix}`
    await until("the key to be refused", async () => (await by.get("/v1/me")).status === 403)
    for (const grace_seconds of [-1, 86_401, 1.5, "1"])
      assert.deepStrictEqual(
        shape(await account.client.post(`${keysOf(appId)}/${data.prefix}/rotate`, { grace_seconds })),
        [422, "validation_error"]
      )
  })

  it("is refused at once when it is revoked, and its open streams end within a second", async () => {
    const appId = await createApp(account)
    const { by, prefix } = await createKey(account, appId)
    const stream = await openStream(by)
    assert.strictEqual((await by.get("/v1/me")).status, 200)
    const { body } = await account.client.post(`${keysOf(appId)}/${prefix}/revoke`, undefined)
    assert.deepStrictEqual(shape(await by.get("/v1/me")), [403, "plain"])
    assert.deepInclude(body.data, { prefix, status: "revoked" })
    await until("the stream to end", () => stream.complete)
    assert.strictEqual(
      (await account.client.post(`${keysOf(appId)}/${prefix}/revoke`, undefined)).body.data.revoked_at,
      body.data.revoked_at
    )
    assert.deepStrictEqual(shape(await account.client.post(`${keysOf(appId)}/${prefix}/rotate`, undefined)), [
      409,
      "api_key_ended"
    ])
  })

  it("is refused at once by every process, not only by the one that revoked it", async () => {
    const appId = await createApp(account)
    const { by, prefix } = await createKey(account, appId)
    const second = await startTestServer({ database: server.database })
    const there = new TestApp(second.baseUrl, appId, by.key)
    assert.strictEqual((await there.get("/v1/me")).status, 200)
    await account.client.post(`${keysOf(appId)}/${prefix}/revoke`, undefined)
    await until("the key to be refused", async () => (await there.get("/v1/me")).status === 403)
    await second.close()
  })

  it("is one of at most a hundred active keys, also for concurrent requests", async () => {
    const appId = await createApp(account)
    const { sql } = server.database
    await sql`insert into api_keys ${sql(
      Array.from({ length: 97 }, () => {
        const { prefix, secretHash } = mintApiKey()
        return { prefix, app_id: appId, name: "many", secret_hash: secretHash }
      })
    )}`
    const answers = await Promise.all(Array.from({ length: 8 }, () => account.client.post(keysOf(appId), {})))
    assert.deepStrictEqual(
      answers.map(shape).filter(([status]) => status !== 200),
      Array.from({ length: 5 }, () => [409, "api_key_limit_reached"])
    )
    const pages: Array<string> = []
    for (let cursor = ""; cursor !== null;) {
      const { api_keys, next_cursor } = (await account.client.get(`${keysOf(appId)}?limit=40&cursor=${cursor}`)).body
        .data
      pages.push(...api_keys.map((key: { prefix: string }) => key.prefix))
      cursor = next_cursor
    }
    assert.deepStrictEqual([pages.length, new Set(pages).size], [100, 100])
    // A rotated key in its grace period counts as well.
    const rotate = (grace_seconds: number) =>
      account.client.post(`${keysOf(appId)}/${pages[0]}/rotate`, { grace_seconds })
    assert.deepStrictEqual(shape(await rotate(60)), [409, "api_key_limit_reached"])
    assert.strictEqual((await rotate(0)).status, 200)
  })
})

const openStream = async (by: TestApp) => {
  const session = await by.createSession()
  const [response] = (await once(
    get(`${server.baseUrl}/v1/sessions/${session}/events/stream?since=0`, {
      headers: { authorization: `Bearer ${by.key}` }
    }),
    "response"
  )) as [IncomingMessage]
  response.resume()
  return response
}

describe("the audit log", () => {
  it("contains every change of an account with who made it, and none that was refused", async () => {
    const own = await createAccountIn(server)
    const appId = await createApp(own)
    const { by, prefix } = await createKey(own, appId)
    await own.client.patch(`/v1/account/apps/${appId}`, { name: "x", expected_version: 7 })
    await own.client.patch(`/v1/account/apps/${appId}`, { name: "x" })
    await by.patch(`/v1/apps/${appId}`, { name: "y" })
    const next = (await own.client.post(`${keysOf(appId)}/${prefix}/rotate`, undefined)).body.data.prefix
    for (let n = 0; n < 2; n++) await own.client.post(`${keysOf(appId)}/${next}/revoke`, undefined)
    await own.client.post("/v1/account/token/revoke", undefined)
    const token = { actor_kind: "account_token", actor: own.prefix, app_id: appId }
    assert.deepStrictEqual(await auditOf(own.accountId), [
      { ...token, action: "app.created", subject: null },
      { ...token, action: "api_key.created", subject: prefix },
      { ...token, action: "app.updated", subject: null },
      { actor_kind: "runtime_key", actor: prefix, action: "app.updated", app_id: appId, subject: null },
      { ...token, action: "api_key.rotated", subject: prefix },
      { ...token, action: "api_key.revoked", subject: next },
      { ...token, action: "account_token.revoked", app_id: null, subject: own.prefix }
    ])
  })

  it("is append-only", async () => {
    await createApp(account)
    const { sql } = server.database
    for (const change of [
      sql`update audit_log set action = 'x'`,
      sql`delete from audit_log`,
      sql`truncate audit_log`
    ]) {
      const refused = await change.then(
        () => "done",
        (error: Error) => error.message
      )
      assert.strictEqual(refused, "audit_log is append-only")
    }
  })
})
