import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, startBrowser } from "#test/support/browser/Browser.ts"
import { accessibilityProblems, assertFits, openConsole } from "#test/support/browser/ConsoleBrowser.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

/** A folder for screenshots, for inspection. */
const PICTURES = process.env["PICTURES"]
const WIDTHS = [360, 768, 1280, 1920]
const PAGES = ["/docs/", "/docs/build/events", "/docs/reference/messages"]
/** A page takes long where other tests run. */
const TIMEOUT_MS = 300_000

describe.skipIf(!hasBrowser)("the docs in a browser", () => {
  let server: TestServer
  let browser: Browser
  beforeAll(async () => {
    server = await startTestServer({ env: { PUBLIC_REQUESTS_PER_MINUTE: "1000000" } })
    browser = await startBrowser()
    assert.strictEqual((await fetch(`${server.baseUrl}/docs/search.json`)).status, 200)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  const open = (options = {}) => openConsole(browser, { baseUrl: server.baseUrl, token: "none" }, options)

  it.each(["light", "dark"] as const)(
    "fit every screen and are accessible, in %s colours",
    async (colorScheme) => {
      const { context, page, problems } = await open({ colorScheme })
      for (const path of PAGES)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          await page.goto(path)
          await assertFits(page)
          if (width === 360 || width === 1280) assert.deepStrictEqual(await accessibilityProblems(page), [], path)
          if (PICTURES !== undefined)
            await page.screenshot({
              path: `${PICTURES}/docs${path.replaceAll("/", "-")}-${width}-${colorScheme}.png`
            })
        }
      assert.deepStrictEqual(problems, [])
      await context.close()
    },
    TIMEOUT_MS
  )

  it(
    "are found by the search, with the keyboard alone",
    async () => {
      const { context, page, problems } = await open()
      await page.goto("/docs/")
      await page.keyboard.press("/")
      await page.keyboard.type("idempotency")
      await page.locator("#results a").first().waitFor()
      assert.match(await page.locator("#found").innerText(), /results/)
      assert.deepStrictEqual(await accessibilityProblems(page), [])
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/docs-search.png` })
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/docs\/[a-z]+\//)
      await page.keyboard.press("/")
      await page.keyboard.type("zzzzqqq")
      await page.getByText("No results").waitFor()
      await page.keyboard.press("Escape")
      assert.isTrue(await page.locator("#results").isHidden())
      await page.keyboard.press("/")
      await page.keyboard.type("send a message")
      await page.locator('#results a[href^="/docs/reference/messages"]').first().waitFor()
      assert.deepStrictEqual(problems, [])
      await context.close()
    },
    TIMEOUT_MS
  )

  it("work without scripts", async () => {
    const { context, page } = await open({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } })
    await page.goto("/docs/build/webhooks")
    assert.isTrue(await page.locator("#search").isHidden())
    await page.getByRole("link", { name: "All pages" }).click()
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Events", exact: true })
      .first()
      .click()
    await page.getByRole("heading", { level: 1, name: "Events" }).waitFor()
    await context.close()
  })
})
