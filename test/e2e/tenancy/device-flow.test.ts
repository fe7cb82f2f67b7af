import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { signInCode } from "#test/support/browser/approve.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let pictures: string
beforeAll(async () => {
  server = await startTestServer()
  pictures = process.env["PICTURES"] ?? (await mkdtemp(join(tmpdir(), "troupe-pages-")))
})
afterAll(async () => {
  await server.close()
  if (process.env["PICTURES"] === undefined) await rm(pictures, { recursive: true, force: true })
})

const agent = (token = "") => new TestApp(server.baseUrl, "", token)
/** With a separate address, so that no test uses up another one's limits. */
const start = async (body: object = { client_name: "My agent" }) =>
  (await agent().post("/v1/account/device/start", body)).body.data
const exchange = (device_code: string) => agent().post("/v1/account/device/token", { device_code })

describe.skipIf(!hasBrowser)("the device flow in a browser", () => {
  let browser: Browser
  let page: Page
  const wrong: Array<string> = []
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    await server.database.sql`delete from rolling_limits`
    // Nothing on these pages needs a script.
    page = await openPage(browser, { javaScriptEnabled: false })
    page.on("console", (message) => wrong.push(message.text()))
  })
  afterEach(async () => {
    await page.context().close()
    assert.deepStrictEqual(
      wrong.splice(0).filter((text) => /Content Security Policy|violates/.test(text)),
      []
    )
  })

  /** Waits for the page with this heading: a click may end before the page that it leads to is there. */
  const shows = (name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
  const enter = async (userCode: string) => {
    await page.goto(`${server.baseUrl}/device`)
    await page.getByLabel("Code shown by the program").fill(userCode)
    await page.getByRole("button", { name: "Continue" }).click()
  }
  const signIn = async (name: string) => {
    await page.getByRole("link", { name: "Sign in" }).click()
    await shows("Development sign-in")
    await page.getByLabel("Code on the server's console").fill(signInCode(server.stdout()))
    await page.getByLabel("Sign in as").fill(name)
    await page.getByRole("button", { name: "Sign in" }).click()
    await shows("Allow access?")
  }
  /** At the width of a phone and of a desktop, everything on the page fits. */
  const picture = async (name: string) => {
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 720 })
      await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true })
    }
  }

  it("leads from nothing to a first message: start, sign in, approve, exchange, an app, a key, a reply", async () => {
    const { device_code, user_code, verification_uri_complete } = await start({ client_name: "My agent" })
    assert.strictEqual((await exchange(device_code)).body.detail.code, "authorization_pending")

    await page.goto(verification_uri_complete)
    assert.strictEqual(await page.getByLabel("Code shown by the program").inputValue(), user_code)
    await picture("1-code")
    await page.getByRole("button", { name: "Continue" }).click()
    await shows("Sign in to continue")
    await picture("2-sign-in")
    await page.getByRole("link", { name: "Sign in" }).click()
    await shows("Development sign-in")
    await picture("3-development")
    await page.getByLabel("Code on the server's console").fill(signInCode(server.stdout()))
    await page.getByLabel("Sign in as").fill("Ada Lovelace")
    await page.getByRole("button", { name: "Sign in" }).click()
    await shows("Allow access?")
    assert.include(await page.locator("main").innerText(), "signed in as ada lovelace")
    assert.strictEqual(await page.getByRole("listitem").count(), 5)
    await picture("4-approval")
    await page.getByRole("button", { name: "Approve" }).click()
    await shows("Approved")
    await picture("5-approved")

    const { status, body } = await exchange(device_code)
    assert.strictEqual(status, 200)
    const account = agent(body.data.access_token)
    const appId = (await account.post("/v1/account/apps", { name: "First app" })).body.data.app_id
    const { api_key } = (await account.post(`/v1/account/apps/${appId}/api-keys`, { name: "backend" })).body.data
    const app = new TestApp(server.baseUrl, appId, api_key)
    assert.strictEqual((await app.converse(await app.createSession(), "What is for dinner?")).type, "message.created")

    const again = await exchange(device_code)
    assert.deepStrictEqual([again.status, again.body.detail.code], [400, "expired_token"])
  })

  it("asks in words for the scopes that the program requested, and grants no others", async () => {
    const { device_code, user_code } = await start({ client_name: "Reader", scopes: ["usage:read", "apps:read"] })
    await enter(user_code)
    await signIn("Ada Lovelace")
    assert.deepStrictEqual(await page.getByRole("listitem").allInnerTexts(), [
      "See your apps, and the names and prefixes of their keys",
      "See what your apps have used and spent"
    ])
    await page.getByRole("button", { name: "Approve" }).click()
    await shows("Approved")
    const { access_token, scopes } = (await exchange(device_code)).body.data
    assert.deepStrictEqual(scopes, ["apps:read", "usage:read"])
    const refused = await agent(access_token).post("/v1/account/apps", { name: "x" })
    assert.deepStrictEqual([refused.status, refused.body.detail.code], [403, "scope_missing"])
  })

  it("tells the program that it was denied", async () => {
    const { device_code, user_code } = await start()
    await enter(user_code)
    await signIn("Ada Lovelace")
    await page.getByRole("button", { name: "Deny" }).click()
    await shows("Denied")
    const { status, body } = await exchange(device_code)
    assert.deepStrictEqual([status, body.detail.code], [403, "access_denied"])
  })

  it("accepts a code in any case and without its dash, and reports an invalid one", async () => {
    const { user_code } = await start()
    await enter("BBBBB-BBBBB")
    assert.match(await page.getByRole("alert").innerText(), /code is not valid/)
    await picture("6-wrong-code")
    await page.getByLabel("Code shown by the program").fill(user_code.toLowerCase().replace("-", " "))
    await page.getByRole("button", { name: "Continue" }).click()
    await shows("Sign in to continue")
  })

  it("offers no decision if the code has expired or somebody else has decided", async () => {
    const { device_code, user_code } = await start()
    await enter(user_code)
    await signIn("Ada Lovelace")
    await server.database.sql`update device_codes set expires_at = now() where status = 'pending'`
    await page.getByRole("button", { name: "Approve" }).click()
    await shows("Code no longer valid")
    assert.strictEqual((await exchange(device_code)).body.detail.code, "expired_token")
    await enter(user_code)
    assert.match(await page.getByRole("alert").innerText(), /code is not valid/)
  })

  it("lets a person switch to another account, and keeps their accounts apart", async () => {
    const { device_code, user_code } = await start()
    await enter(user_code)
    await signIn("Ada Lovelace")
    await page.getByRole("link", { name: "Use another account" }).click()
    await shows("Development sign-in")
    await page.getByLabel("Code on the server's console").fill(signInCode(server.stdout()))
    await page.getByLabel("Sign in as").fill("Grace Hopper")
    await page.getByRole("button", { name: "Sign in" }).click()
    await shows("Allow access?")
    assert.include(await page.locator("main").innerText(), "signed in as grace hopper")
    await page.getByRole("button", { name: "Approve" }).click()
    await shows("Approved")
    const account = agent((await exchange(device_code)).body.data.access_token)
    assert.strictEqual((await account.get("/v1/account")).body.data.name, "grace hopper")
    assert.deepStrictEqual((await account.get("/v1/account/apps")).body.data.apps, [])
  })

  it("shows the name that a program gives itself as only a name", async () => {
    const { user_code } = await start({ client_name: "<b>Bank</b>\u202e<script>alert(1)</script>" })
    await enter(user_code)
    await signIn("Ada Lovelace")
    assert.include(await page.locator("main").innerText(), "<b>Bank</b>\uFFFD<script>alert(1)</script>")
    await picture("7-hostile-name")
  })

  it("rejects a form that was not created for this browser", async () => {
    const { device_code, user_code } = await start()
    await enter(user_code)
    await signIn("Ada Lovelace")
    const [cookie] = await page.context().cookies()
    for (const csrf of ["", "x"]) {
      const { status } = await fetch(`${server.baseUrl}/device/decision`, {
        method: "POST",
        headers: { cookie: `${cookie?.name}=${cookie?.value}` },
        body: new URLSearchParams({ decision: "approved", csrf })
      })
      assert.strictEqual(status, 403)
    }
    assert.deepInclude(cookie, { httpOnly: true, sameSite: "Lax" })
    assert.strictEqual((await exchange(device_code)).body.detail.code, "authorization_pending")
  })

  it("signs in again under a new cookie, so that a planted cookie is worthless", async () => {
    const { user_code } = await start()
    await enter(user_code)
    const [before] = await page.context().cookies()
    await signIn("Ada Lovelace")
    const { status } = await fetch(`${server.baseUrl}/device/confirm`, {
      headers: { cookie: `${before?.name}=${before?.value}` }
    })
    assert.strictEqual(status, 410)
  })
})
