import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorSessionIn, type TestSession } from "#test/support/accounts/createOperatorIn.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let owner: TestSession
beforeAll(async () => {
  server = await startTestServer({ env: { TRUST_PROXY: "true" } })
  owner = await createOperatorSessionIn(server, "owner")
})
afterAll(() => server.close())

const cookies = (response: Response) => response.headers.getSetCookie()
/** Sends a form of the console, whose action fails with a message. */
const fail = (headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}/console/bots/none/suspend`, {
    method: "POST",
    redirect: "manual",
    headers: { ...owner.headers, ...headers },
    body: new URLSearchParams({ csrf: owner.csrf })
  })

describe("the console", () => {
  it("says what an action did in a cookie that no script reads, no site sends, and no other host plants", async () => {
    const [plain = ""] = cookies(await fail())
    assert.match(plain, /^troupe-console-flash=\w+;.*HttpOnly; SameSite=Strict/)
    const https = { "x-forwarded-proto": "https" }
    const [secure = ""] = cookies(
      await fail({ ...https, cookie: owner.headers.cookie.replace("troupe-operator", "__Host-troupe-operator") })
    )
    assert.match(secure, /^__Host-troupe-console-flash=\w+;.*Path=\/;.*HttpOnly; Secure; SameSite=Strict/)
    const shown = (name: string, headers: Record<string, string>) =>
      fetch(`${server.baseUrl}/console`, {
        redirect: "manual",
        headers: { ...headers, cookie: `${name}=${owner.headers.cookie.split("=")[1]}; ${plain.split(";")[0]}` }
      }).then((response) => response.text())
    assert.include(await shown("troupe-operator", {}), 'class="flash bad"')
    assert.notInclude(await shown("__Host-troupe-operator", https), 'class="flash bad"')
  })

  it("leaves no answer in the cache of a browser, neither a page nor what its cookie gets below /admin", async () => {
    for (const path of [
      "/console",
      "/console/bots/none",
      "/console/sign-in",
      "/admin/me",
      "/admin/audit",
      "/admin/audit/export?format=csv",
      "/admin/bots/none",
      "/metrics"
    ]) {
      const response = await owner.request("GET", path)
      await response.body?.cancel()
      assert.strictEqual(response.headers.get("cache-control"), "no-store", path)
    }
  })

  it("cannot be framed, and its errors cannot either", async () => {
    for (const path of [
      "/console",
      "/console/none",
      "/console/%",
      "/console/bots/none",
      "/console/sign-in?code=oc_x"
    ]) {
      const { headers } = await owner.request("GET", path)
      assert.strictEqual(headers.get("x-frame-options"), "DENY", path)
      assert.include(headers.get("content-security-policy"), "frame-ancestors 'none'", path)
    }
  })

  it("opens with a slash at the end of its address, too", async () => {
    const response = await owner.request("GET", "/console/")
    assert.deepStrictEqual([response.status, response.headers.get("location")], [308, "/console"])
  })

  it("answers every error with a page that leads back, whatever was wrong", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const cases: ReadonlyArray<readonly [string, string, number, Parameters<typeof owner.request>[2]?]> = [
      ["GET", "/console/none", 404],
      ["GET", "/console/sign-in/none?a=b", 404],
      ["GET", "/console/bots/none/suspend", 404],
      ["GET", "/console/%", 404],
      ["PUT", "/console/bots", 405],
      ["POST", "/console/none", 403],
      ["POST", "/console/bots/none/suspend", 415, { headers: { "content-type": "application/json" }, body: "{}" }],
      ["POST", "/console/bots/none/suspend", 413, { headers: form, body: `a=${"x".repeat(20_000)}` }],
      ["GET", "/device/none", 404],
      ["POST", "/device", 415, { headers: { "content-type": "application/json" }, body: "{}" }]
    ]
    for (const [method, path, status, init] of cases) {
      const response = await owner.request(method, path, init)
      const text = await response.text()
      const what = `${method} ${path}`
      assert.strictEqual(response.status, status, `${what}: ${text}`)
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/, what)
      assert.include(text, `href="${path.startsWith("/device") ? "/device" : "/console"}"`, what)
      assert.strictEqual(response.headers.get("cache-control"), "no-store", what)
    }
    const lost = await owner.request("POST", "/console/none", { body: new URLSearchParams({ csrf: owner.csrf }) })
    assert.deepStrictEqual([lost.status, lost.headers.get("location")], [303, "/console"])
    const stranger = await fetch(`${server.baseUrl}/console/none`, { redirect: "manual" })
    assert.deepStrictEqual(
      [stranger.status, stranger.headers.get("location")],
      [303, "/console/sign-in?next=%2Fconsole%2Fnone"]
    )
    // What only begins alike is a program's.
    for (const path of ["/consoles", "/devices", "/v1/none"])
      assert.match((await owner.request("GET", path)).headers.get("content-type") ?? "", /json/, path)
  })

  it("shows which imports of which app have failed, and why, without what others have failed", async () => {
    const [one, other] = [await server.createApp(), await server.createApp()]
    const file = Buffer.from("<b>no card</b>").toString("base64")
    await server.database.sql`
      insert into failed_imports (app_id, import_id, bytes, error_code, problem)
      select ${one.appId}, 'imp_0' || n, 1, 'import_unreadable', 'It is no card.' from generate_series(10, 29) n`
    assert.strictEqual((await one.post("/v1/imports", { content_base64: file })).status, 422)
    await other.post("/v1/imports", { content_base64: "?" })
    await other.post("/v1/imports", { nothing: 1 })
    const screen = async (app: string) => (await owner.request("GET", `/console/characters?app=${app}`)).text()
    const rows = (text: string) => text.split(/import_(?:format_unsupported|unreadable)/).length - 1
    assert.deepStrictEqual([rows(await screen(one.appId)), rows(await screen(other.appId))], [20, 1])
    assert.include(await screen(other.appId), "body.content_base64: It is not valid base64")
    assert.notInclude(await screen(one.appId), "<b>no card")
  })
})
