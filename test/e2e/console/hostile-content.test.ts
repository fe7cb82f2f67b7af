import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { accessibilityProblems, assertFits, openConsole } from "#test/support/browser/ConsoleBrowser.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-among-attackers"
/** Each would set `attacked` if it became part of the page. */
const MARKUP = [
  `<script>attacked=1</script>`,
  `<img src=x onerror="attacked=2">`,
  `"><svg onload="attacked=3">`,
  `' onmouseover='attacked=4' x='`,
  `</title></textarea></pre><iframe srcdoc="<script>parent.attacked=5</script>"></iframe>`,
  `javascript:attacked=6`,
  `{{constructor.constructor('attacked=7')()}}`,
  `<form action="https://evil.example"><button>Sign in</button></form>`,
  `<a href="https://evil.example" hx-get="https://evil.example" hx-trigger="load">x</a>`,
  `<meta http-equiv="refresh" content="0; url=https://evil.example">`,
  `\u202e<b>txet desrever</b>\u2066`
]
const ALL = MARKUP.join(" ")
/** Only in what a person has said. */
const SAID = "the-person-said-this"

let harness: TelegramHarness
let receiver: Receiver
let browser: Browser
let screens: ReadonlyArray<string>
beforeAll(async () => {
  receiver = await startReceiver((response) => {
    response.writeHead(400, { "content-type": "text/html" }).end(ALL)
  })
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  browser = await startBrowser()
  const { app, server } = harness
  const { sql } = server.database
  await sql`update apps set name = ${ALL.slice(0, 400)} where app_id = ${app.appId}`
  await sql`update accounts set name = ${ALL.slice(0, 400)}, email = ${MARKUP[1] ?? ""}`
  const slug = await app.createCharacter({ display_name: MARKUP[0], visible_bio: ALL })
  await app.patch(`/v1/characters/${slug}`, { visible_bio: `${ALL} and more`, persona: { summary: ALL.slice(0, 500) } })
  const { id } = await harness.attach({ character_slug: slug })
  await sql`
    update telegram_bots set username = ${MARKUP[1] ?? ""}, reason = ${MARKUP[0] ?? ""} where channel_id = ${id}`
  const session = await app.createSession({ character_slug: slug, external_user_ref: MARKUP[2] })
  const { status, body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: `${receiver.url}/${encodeURIComponent(MARKUP[0] ?? "")}`,
    retry_schedule: [1]
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  await app.converse(session, `${ALL} ${SAID}`)
  await app.converse(session, "I want to kill myself tonight")
  await app.patch(`/v1/end-users/${encodeURIComponent(MARKUP[2] ?? "")}`, { blocked: true })
  const owner = await createOperatorIn(server, "owner")
  await owner.post(`/admin/sessions/${session}/break-glass`, { reason: ALL.slice(0, 500) })
  await owner.post(`/admin/apps/${app.appId}/suspend`, { reason: ALL.slice(0, 200) })
  await owner.post(`/admin/apps/${app.appId}/resume`, undefined)
  await owner.post("/admin/tokens", { name: MARKUP[1], role: "viewer" })
  const attempt = await until(
    "a failed attempt",
    async () => (await owner.get("/admin/deliveries?limit=1")).body.data.deliveries[0]?.id
  )
  const accountId = (await sql`select account_id from apps where app_id = ${app.appId}`)[0]?.["account_id"]
  const character = `/console/characters/${app.appId}/${slug}`
  screens = [
    "/console",
    "/console/bots",
    `/console/bots/${id}`,
    `/console/bots/${id}/token`,
    `/console/bots/bulk?app=${app.appId}`,
    "/console/conversations",
    "/console/conversations?crisis=86400",
    `/console/conversations/${session}`,
    "/console/deliveries?state=any",
    `/console/deliveries/${attempt}`,
    "/console/deliveries/retry?state=failed",
    "/console/webhooks",
    `/console/webhooks/${body.data.id}`,
    "/console/characters",
    character,
    `${character}/versions?from=1&to=2`,
    `${character}/chat`,
    "/console/apps",
    `/console/apps/${app.appId}`,
    `/console/apps/${app.appId}/suspend`,
    "/console/accounts",
    `/console/accounts/${accountId}`,
    "/console/system",
    "/console/audit",
    "/console/operators",
    `/console/bots?app=${encodeURIComponent(ALL.slice(0, 500))}`
  ]
  // The name of a browser that signs in.
  await fetch(`${server.baseUrl}/console/sign-in`, {
    method: "POST",
    headers: { "user-agent": MARKUP.slice(0, 10).join(" ") },
    body: new URLSearchParams({ token: ADMIN_TOKEN })
  })
  // In the chat, what an operator writes, too.
  await fetch(`${server.baseUrl}${character}/chat/messages`, {
    method: "POST",
    redirect: "manual",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: new URLSearchParams({ text: ALL })
  })
})
afterAll(async () => {
  await browser.close()
  await harness.close()
  await receiver.close()
})

describe.skipIf(!hasBrowser)("what others write", () => {
  it("is text on every screen: it runs nothing, adds nothing, and leads nowhere", async () => {
    const { context, page, problems } = await openConsole(browser, {
      baseUrl: harness.server.baseUrl,
      token: ADMIN_TOKEN
    })
    page.on("dialog", (dialog) => void dialog.dismiss())
    for (const path of screens) {
      const response = await page.goto(path)
      assert.strictEqual(response?.status(), 200, path)
      // The stream of changes writes the same once more, into the live page.
      if ((await page.locator("#live").count()) > 0) await page.locator('#live-state[data-state="live"]').waitFor()
      assert.isFalse(await page.evaluate(`"attacked" in globalThis`), path)
      assert.strictEqual(
        await page
          .locator("main :is(script, iframe, object, embed, meta, base, img, style, [onerror], [onload])")
          .count(),
        0,
        path
      )
      const leads = await page
        .locator(":is(a, form)")
        .evaluateAll((all) =>
          (all as ReadonlyArray<any>).map(
            (one) =>
              new URL(one.getAttribute("href") ?? one.getAttribute("action"), (globalThis as any).location).origin
          )
        )
      // A bot's own page at Telegram is the only link to another place.
      assert.deepStrictEqual(
        [...new Set(leads)].filter((origin) => origin !== "https://t.me"),
        [harness.server.baseUrl],
        path
      )
      assert.notInclude(await page.content(), "\u202e", path)
      assert.strictEqual(new URL(page.url()).pathname, path.split("?")[0])
      await assertFits(page)
      assert.deepStrictEqual(await accessibilityProblems(page), [], path)
    }
    await context.close()
    assert.deepStrictEqual(problems, [])
  })

  it("has no control that changes anything where a viewer looks, and no content", async () => {
    const viewer = await createOperatorIn(harness.server, "viewer")
    for (const path of screens) {
      const response = await fetch(harness.server.baseUrl + path, {
        headers: { authorization: `Bearer ${viewer.key}` }
      })
      const text = await response.text()
      assert.strictEqual(response.status, /\/(?:bulk|retry|suspend|chat|token)\b/.test(path) ? 403 : 200, path)
      assert.notMatch(text, /method="post"/i, path)
      assert.notInclude(text, SAID, path)
    }
  })

  it("cannot frame the console or its sign-in", async () => {
    const page = await openPage(browser)
    const frames = ["/console", "/console/sign-in"]
    await page.setContent(frames.map((path) => `<iframe src="${harness.server.baseUrl}${path}"></iframe>`).join(""))
    const areRefused = await until("the frames to be refused", () =>
      page
        .frames()
        .slice(1)
        .every((frame) => frame.url() === "chrome-error://chromewebdata/")
    )
    assert.isTrue(areRefused)
    await page.context().close()
  })

  it("is saved as a file by its name only, whatever the name of a filter is", async () => {
    const actor = encodeURIComponent('x"\r\nset-cookie: a=b; filename="y.html')
    const response = await fetch(`${harness.server.baseUrl}/admin/audit/export?actor=${actor}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` }
    })
    assert.strictEqual(response.headers.get("content-disposition"), 'attachment; filename="audit.csv"')
    assert.isNull(response.headers.get("set-cookie"))
  })
})
