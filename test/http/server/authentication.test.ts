import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mintApiKey } from "#src/accounts/apiKey.ts"
import { misspelt } from "#test/support/hostile/misspelt.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const ask = async (authorization: string | undefined, path = "/v1/me") => {
  const response = await fetch(server.baseUrl + path, authorization === undefined ? {} : { headers: { authorization } })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer["body"] }
}
const isPlain = (body: { readonly detail?: unknown }) =>
  typeof body.detail === "string" && Object.keys(body).length === 1

describe("a runtime key", () => {
  it("returns its app on GET /v1/me", async () => {
    const { status, body } = await app.get("/v1/me")
    assert.strictEqual(status, 200)
    assert.strictEqual(body.data.app_id, app.appId)
    assert.isFalse(body.data.expose_relational_numerics)
  })

  it("is accepted with the scheme in any case", async () => {
    assert.strictEqual((await ask(`bearer ${app.key}`)).status, 200)
  })

  it("is missing: 401 with a plain-string detail", async () => {
    for (const authorization of [undefined, "", "Bearer", "Basic dXNlcjpwYXNz", app.key]) {
      const { status, headers, body } = await ask(authorization)
      assert.strictEqual(status, 401, authorization)
      assert.isTrue(isPlain(body), authorization)
      assert.strictEqual(headers.get("www-authenticate"), "Bearer")
    }
  })

  it("is unknown: 403 with a plain-string detail", async () => {
    const { status, body } = await ask(`Bearer ${mintApiKey().apiKey}`)
    assert.strictEqual(status, 403)
    assert.isTrue(isPlain(body))
  })

  it("is malformed: 403 with a plain-string detail", async () => {
    for (const key of ["ck_", "ck_short", "sk-proj-something", `${app.key}0`, "x"]) {
      const { status, body } = await ask(`Bearer ${key}`)
      assert.strictEqual(status, 403, key)
      assert.isTrue(isPlain(body), key)
    }
  })

  it("has a wrong checksum: 403 with a plain-string detail", async () => {
    const { status, body } = await ask(`Bearer ${misspelt(app.key)}`)
    assert.strictEqual(status, 403)
    assert.isTrue(isPlain(body))
  })

  it("has the prefix of a known key and another secret: 403", async () => {
    const other = mintApiKey()
    await server.database.sql`
      insert into api_keys (prefix, app_id, name, secret_hash)
        values (${other.prefix}, ${app.appId}, 'other', ${mintApiKey().secretHash})`
    assert.strictEqual((await ask(`Bearer ${other.apiKey}`)).status, 403)
  })

  it("is revoked: 403 with a plain-string detail", async () => {
    const { appId, key } = await server.createApp()
    await server.database.sql`update api_keys set revoked_at = now() where app_id = ${appId}`
    const { status, body } = await ask(`Bearer ${key}`)
    assert.strictEqual(status, 403)
    assert.isTrue(isPlain(body))
  })

  it("is stored only as a hash", async () => {
    const rows = await server.database.sql`select * from api_keys where app_id = ${app.appId}`
    assert.notInclude(JSON.stringify(rows), app.key.slice(11))
  })
})

describe("a credential of another kind", () => {
  it("is an account token: 401 account_token_used_as_runtime_key on GET /v1/me", async () => {
    const { status, body } = await ask("Bearer lat_0123456789")
    assert.strictEqual(status, 401)
    assert.strictEqual(body.detail.code, "account_token_used_as_runtime_key")
  })

  it("is an identity provider's key: 401 idp_account_api_key_not_service_key on GET /v1/me", async () => {
    const { status, body } = await ask("Bearer ak_0123456789")
    assert.strictEqual(status, 401)
    assert.strictEqual(body.detail.code, "idp_account_api_key_not_service_key")
  })

  it("is refused before the resource is looked up, and before the body is read", async () => {
    const response = await fetch(`${server.baseUrl}/v1/sessions/none/messages`, { method: "POST", body: "{not json" })
    assert.strictEqual(response.status, 401)
  })
})

it.each(["/openapi.json", "/v1/llms.txt", "/healthz", "/readyz", "/docs/"])("%s requires no key", async (path) => {
  assert.strictEqual((await fetch(server.baseUrl + path)).status, 200)
})

it("llms.txt is plain text that names this server", async () => {
  const response = await fetch(`${server.baseUrl}/v1/llms.txt`)
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain/)
  assert.include(await response.text(), server.baseUrl)
})

describe("PATCH /v1/apps/{app_id}", () => {
  it("opts in to relationship scores and out again", async () => {
    const own = await server.createApp()
    for (const wanted of [true, false]) {
      const { status, body } = await own.patch(`/v1/apps/${own.appId}`, { expose_relational_numerics: wanted })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.data.app_id, own.appId)
      assert.strictEqual(body.data.expose_relational_numerics, wanted)
      assert.strictEqual((await own.get("/v1/me")).body.data.expose_relational_numerics, wanted)
    }
  })

  it("leaves other fields unchanged, and names unknown fields", async () => {
    const own = await server.createApp()
    await own.patch(`/v1/apps/${own.appId}`, { expose_relational_numerics: true })
    const { body } = await own.patch(`/v1/apps/${own.appId}`, { name: "renamed", colour: "red" })
    assert.strictEqual(body.data.name, "renamed")
    assert.isTrue(body.data.expose_relational_numerics)
    assert.deepStrictEqual(body.data.ignored_fields, ["colour"])
  })

  it.each(["name", "expose_relational_numerics"])("refuses null for %s, which cannot be cleared", async (field) => {
    const own = await server.createApp()
    const { status, body } = await own.patch(`/v1/apps/${own.appId}`, { [field]: null })
    assert.strictEqual(status, 422)
    assert.include(body.detail.message, `body.${field}: Invalid input: expected`)
  })

  it("accepts the current expected_version, and refuses an outdated one with 409 version_conflict", async () => {
    const own = await server.createApp()
    const { version } = (await own.get("/v1/me")).body.data
    const first = await own.patch(`/v1/apps/${own.appId}`, { name: "first", expected_version: version })
    assert.deepStrictEqual([first.status, first.body.data.version], [200, version + 1])
    const stale = await own.patch(`/v1/apps/${own.appId}`, { name: "second", expected_version: version })
    assert.deepStrictEqual([stale.status, stale.body.detail.code], [409, "version_conflict"])
    assert.include(stale.body.detail.message, String(version + 1))
    assert.strictEqual((await own.get("/v1/me")).body.data.name, "first")
  })

  it("accepts only a boolean", async () => {
    const { status, body } = await app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics: "yes" })
    assert.strictEqual(status, 422)
    assert.include(body.detail.message, "body.expose_relational_numerics")
  })

  it("refuses another app, or one that does not exist: 404 app_not_found", async () => {
    const other = await server.createApp()
    for (const id of [other.appId, `app_${randomUUID()}`]) {
      const { status, body } = await app.patch(`/v1/apps/${id}`, { name: "stolen" })
      assert.strictEqual(status, 404)
      assert.strictEqual(body.detail.code, "app_not_found")
    }
    assert.strictEqual((await other.get("/v1/me")).body.data.name, "test")
  })
})
