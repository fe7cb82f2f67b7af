import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, startBrowser } from "#test/support/Browser.ts"
import { accessibilityProblems, assertFits, openConsole } from "#test/support/ConsoleBrowser.ts"
import { startCutter } from "#test/support/startCutter.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ADMIN_TOKEN = "the-operator-of-the-console"
/** A folder for screenshots of each screen, for inspection. */
const PICTURES = process.env["PICTURES"]
const WIDTHS = [360, 768, 1280, 1920]
const SCREENS = [
  "/console",
  "/console/bots",
  "/console/bots/attach",
  "/console/conversations",
  "/console/deliveries",
  "/console/webhooks",
  "/console/apps",
  "/console/system",
  "/console/audit"
]

let server: TestServer
let operator: { readonly baseUrl: string; readonly token: string }
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN } })
  operator = { baseUrl: server.baseUrl, token: ADMIN_TOKEN }
  for (const name of ["<script>alert(1)</script>", "Tea \u202eshop"])
    await server.database.sql`insert into apps (app_id, name) values (${`app_${crypto.randomUUID()}`}, ${name})`
})
afterAll(() => server.close())

const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${ADMIN_TOKEN}` }) =>
  fetch(server.baseUrl + path, { headers, redirect: "manual" })

describe("the console", () => {
  it("runs no script and loads no style but its own files, and may not be framed", async () => {
    const page = await get("/console/apps")
    const policy = page.headers.get("content-security-policy") ?? ""
    assert.notInclude(policy, "unsafe")
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      assert.include(policy, part)
    const text = await page.text()
    assert.notMatch(text, /<script>|\son\w+=|style=|javascript:/i)
    assert.include(text, "&lt;script&gt;alert(1)&lt;/script&gt;")
    assert.notInclude(text, "\u202e")
  })

  it("keeps its files for as long as their names are current", async () => {
    const text = await (await get("/console/apps")).text()
    for (const [path = ""] of text.matchAll(/\/console\/assets\/[\w.-]+/g)) {
      const current = await get(path, {})
      assert.deepStrictEqual(
        [current.status, current.headers.get("cache-control")],
        [200, "public, max-age=31536000, immutable"]
      )
      const former = await get(path.replace(/-[0-9a-f]{16}/, "-0000000000000000"), {})
      assert.deepStrictEqual([former.status, former.headers.get("cache-control")], [200, "no-cache"])
    }
  })
})

describe.skipIf(!hasBrowser)("in a browser, the console", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())

  it("has no violation that axe finds, and fits, on any screen at any width, in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { context, page, problems } = await openConsole(browser, operator, { colorScheme })
      for (const path of SCREENS) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          if (width === WIDTHS[0]) await page.goto(path)
          await assertFits(page)
          if (PICTURES !== undefined) {
            const name = `${path.slice(1).replaceAll("/", "-")}-${width}-${colorScheme}.png`
            await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true })
          }
        }
        assert.deepStrictEqual(await accessibilityProblems(page), [], `${path} ${colorScheme}`)
      }
      await context.close()
      assert.deepStrictEqual(problems, [])
    }
  })

  it("says that it is live, that it is paused, and that it reconnects", async () => {
    const connections = await startCutter(server.baseUrl)
    const { context, page } = await openConsole(browser, { ...operator, baseUrl: connections.url })
    await page.goto("/console/apps")
    const state = page.getByRole("status").first()
    await state.getByText("Live").waitFor()
    const name = `Bakery ${crypto.randomUUID()}`
    await server.database.sql`insert into apps (app_id, name) values (${`app_${crypto.randomUUID()}`}, ${name})`
    await page.getByText(name).waitFor()
    await page.getByRole("button", { name: "Pause" }).click()
    await state.getByText("Paused").waitFor()
    await page.getByRole("button", { name: "Resume" }).click()
    await state.getByText("Live").waitFor()
    connections.cut()
    await state.getByText("Reconnecting").waitFor()
    await state.getByText("Live").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Pause" }).isVisible())
    await context.close()
    await connections.close()
  })

  it("can be used with the keyboard alone", async () => {
    const { context, page } = await openConsole(browser, operator)
    await page.goto("/console/apps")
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Skip to the content")
    await page.keyboard.press("Enter")
    assert.strictEqual(await page.evaluate("document.activeElement.id"), "main")
    await context.close()
  })
})
