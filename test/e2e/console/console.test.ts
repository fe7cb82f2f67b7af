import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, startBrowser } from "#test/support/browser/Browser.ts"
import { accessibilityProblems, assertFits, openConsole } from "#test/support/browser/ConsoleBrowser.ts"
import { startCutter } from "#test/support/hostile/startCutter.ts"
import { createOperatorIn, createOperatorSessionIn } from "#test/support/accounts/createOperatorIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-of-the-console"
/** A folder for screenshots of each screen, for inspection. */
const PICTURES = process.env["PICTURES"]
const WIDTHS = [360, 768, 1280, 1920]
const LISTS = [
  "/console",
  "/console/bots",
  "/console/bots/attach",
  "/console/conversations",
  "/console/deliveries",
  "/console/webhooks",
  "/console/characters",
  "/console/apps",
  "/console/accounts",
  "/console/system",
  "/console/audit",
  "/console/operators"
]

let server: TestServer
let screens: ReadonlyArray<string>
let operator: { readonly baseUrl: string; readonly token: string }
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN } })
  operator = { baseUrl: server.baseUrl, token: ADMIN_TOKEN }
  for (const name of ["<script>alert(1)</script>", "Tea \u202eshop"])
    await server.database.sql`insert into apps (app_id, name) values (${`app_${crypto.randomUUID()}`}, ${name})`
  screens = [...LISTS, ...(await screensOf(await server.createApp()))]
})
afterAll(() => server.close())

/** The screens of single things of an app that is in use. */
const screensOf = async (app: TestApp): Promise<ReadonlyArray<string>> => {
  const { sql } = server.database
  const slug = await app.createCharacter({ greeting: "Come in, the soup is hot." })
  for (const visible_bio of ["Cooks soup.\nSleeps late.", "Cooks soup and stew.\nSleeps late."])
    await app.patch(`/v1/characters/${slug}`, { visible_bio })
  for (const [name, value] of [
    ["Dinner", "leek SOUP"],
    ["Manners", "please"]
  ]) {
    const { id } = (
      await app.post("/v1/evals/suites", {
        name,
        character_slug: slug,
        cases: [{ key: "one", turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value }] }] }]
      })
    ).body.data
    for (let n = 0; n < 2; n++) await app.post(`/v1/evals/suites/${id}/runs`, {})
  }
  const session = await app.createSession({ character_slug: slug, external_user_ref: "olga" })
  await app.converse(session, "What is for dinner?")
  const chat = `/console/characters/${app.appId}/${slug}/chat`
  for (const text of ["What is for dinner?", "I cannot come today: my train to Lisbon leaves at six, and I am late."])
    await fetch(`${server.baseUrl}${chat}/messages`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: new URLSearchParams({ text })
    })
  await until(
    "the evals and the replies",
    async () =>
      (
        await sql`select 1 where exists (select from eval_runs where finished_at is null)
          or exists (select from turns where outcome is null)`
      ).length === 0
  )
  await sql`update eval_runs r set created_at = now() - x.n * interval '1 day'
    from (select run_id, row_number() over (order by run_id desc) as n from eval_runs) x where r.run_id = x.run_id`
  const accountId = (await sql`select account_id from apps where app_id = ${app.appId}`)[0]?.["account_id"]
  const tokens = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
  await tokens.post("/admin/tokens", { name: "Status board", role: "viewer" })
  await createOperatorSessionIn(server, "operator", "ada@example.com")
  return [
    `/console/conversations/${session}`,
    `/console/characters/${app.appId}/${slug}`,
    `/console/characters/${app.appId}/${slug}/versions?from=1&to=3`,
    chat,
    `/console/apps/${app.appId}`,
    `/console/accounts/${accountId}`,
    "/console/deliveries/retry"
  ]
}

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
      for (const path of screens) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          if (width === WIDTHS[0]) await page.goto(path)
          await assertFits(page)
          if (PICTURES !== undefined) {
            const name = `${path.slice(1).replaceAll(/[^\w]/g, "-")}-${width}-${colorScheme}.png`
            await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true })
          }
        }
        assert.deepStrictEqual(await accessibilityProblems(page), [], `${path} ${colorScheme}`)
      }
      await context.close()
      assert.deepStrictEqual(problems, [])
    }
  })

  it("shows a conversation without a hole, with its banner on one line, and its stages without a cut", async () => {
    const owner = await createOperatorIn(server, "owner")
    const path = screens.find((screen) => screen.startsWith("/console/conversations/")) ?? ""
    const session = path.split("/").at(-1)
    const { context, page } = await openConsole(browser, { baseUrl: server.baseUrl, token: owner.key })
    /** How many lines what is in the first of these elements takes. */
    const lines = (selector: string) =>
      page.evaluate<number>(`(() => {
        const element = document.querySelector(${JSON.stringify(selector)})
        const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(element)
        const height = element.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom)
        return Math.round(height / parseFloat(lineHeight))
      })()`)
    await page.goto(path)
    assert.strictEqual(await lines(".bubble bdi"), 1)
    await owner.post(`/admin/sessions/${session}/break-glass`, { reason: "Complaint 4711" })
    await page.goto(path)
    assert.strictEqual(await lines(".flash.warn"), 1)
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page.evaluate<number>(`(() => {
        for (const stages of document.querySelectorAll(".waterfall details")) stages.open = true
        const tables = [...document.querySelectorAll(".waterfall .scroll")]
        return Math.max(...tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      })()`)
      assert.strictEqual(cut, 0, `${width}`)
      await assertFits(page)
    }
    await context.close()
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
    connections.away(true)
    await state.getByText("Reconnecting").waitFor()
    connections.away(false)
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
