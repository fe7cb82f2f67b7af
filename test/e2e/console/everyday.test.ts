import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { accessibilityProblems, assertFits } from "#test/support/browser/ConsoleBrowser.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-of-every-day"
const SECRET_WORDS = "My sister has left for Lisbon."

let harness: TelegramHarness
let receiver: Receiver
let broken = true
let browser: Browser
beforeAll(async () => {
  receiver = await startReceiver((response) => {
    response.writeHead(broken ? 500 : 200).end(broken ? "<script>alert(1)</script>" : "")
  })
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  await harness.close()
  await receiver.close()
})

/** Somebody who signs in with the form. */
const signIn = async (javaScriptEnabled: boolean): Promise<Page> => {
  const page = await openPage(browser, { baseURL: harness.server.baseUrl, javaScriptEnabled })
  await page.goto("/console")
  await page.getByLabel("ADMIN_TOKEN").fill(ADMIN_TOKEN)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  return page
}

/** Presses Tab until what is called this has the focus. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let n = 0; n < 100; n++) {
    await page.keyboard.press("Tab")
    const focused = await page.evaluate<string>(
      `(({ labels, ariaLabel, textContent }) => labels?.[0]?.textContent ?? ariaLabel ?? textContent)(
        document.activeElement)`
    )
    if (focused.trim() === name) return
  }
  assert.fail(`${name} cannot be reached with the keyboard`)
}

describe.skipIf(!hasBrowser)("an operator's day in the console", () => {
  it("works with scripts switched off: attach a bot, suspend it, resume it", async () => {
    const page = await signIn(false)
    const bot = harness.telegram.createBot()
    const character = await harness.app.createCharacter()
    await page.getByRole("link", { name: "Bots" }).first().click()
    await page.getByRole("link", { name: "Attach a bot" }).first().click()
    const form = page.getByRole("region", { name: "With its token" })
    await form.getByLabel("App").fill(harness.app.appId)
    await form.getByLabel("Character").fill(character)
    await form.getByLabel("Token", { exact: true }).fill(bot.token)
    await form.getByRole("button", { name: "Attach the bot" }).click()
    await page.getByText("is attached. It is active.").waitFor()
    await page.getByRole("link", { name: "Suspend…" }).click()
    const suspend = page.getByRole("button", { name: "Suspend the bot" })
    await suspend.waitFor()
    assert.include(await page.getByRole("main").innerText(), "0 chats")
    await suspend.click()
    await page.getByText("What people write to it is kept.").waitFor()
    await page.getByRole("button", { name: "Resume", exact: true }).click()
    await page.getByText("continues where it stopped").waitFor()
    await page.getByRole("link", { name: "Who did what to this bot" }).click()
    await page.getByText("bot suspended").waitFor()
    await page.context().close()
  })

  it("finds a broken webhook on the first screen, and sees it recover", async () => {
    const { status } = await harness.app.post(`/v1/apps/${harness.app.appId}/channels`, {
      kind: "webhook",
      url: `${receiver.url}/hook`
    })
    assert.strictEqual(status, 200)
    const session = await harness.app.createSession({ external_user_ref: "olga" })
    await harness.app.converse(session, SECRET_WORDS)
    const page = await signIn(true)
    await page.getByText("A webhook is failing").waitFor()
    await page.getByRole("link", { name: "Open the webhook" }).first().click()
    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByText("did not arrive: status 500").waitFor()
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    broken = false
    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByText("The endpoint accepted the test event").waitFor()
    // It may have recovered by itself meanwhile.
    const pause = page.getByRole("button", { name: "Pause the webhook" })
    if ((await pause.count()) > 0) await pause.click()
    await page.getByRole("button", { name: "Resume the webhook" }).click()
    await page.getByText("continues from where it stopped").waitFor()
    await page.goto("/console")
    await page.getByText("A webhook is failing").waitFor({ state: "detached" })
    await page.context().close()
  })

  it("hides what was said until the owner gives a reason, which the audit log keeps", async () => {
    const page = await signIn(true)
    await page.goto("/console/conversations?person=olga")
    await page.getByRole("link", { name: "olga" }).click()
    const read = page.getByText("Read what was said…")
    await read.waitFor()
    assert.notInclude(await page.content(), SECRET_WORDS)
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await read.click()
    await page.getByLabel("Reason").fill("Complaint 4711")
    await page.getByRole("button", { name: "Open the content" }).click()
    await page.getByText(SECRET_WORDS).waitFor()
    await page.goto("/console/audit?action=session.content_opened")
    await page.getByText("Complaint 4711").waitFor()
    await page.context().close()
  })

  it("names the bot that is down, and sets its new token, on a phone as well", async () => {
    const bot = harness.telegram.createBot()
    const app = await harness.server.createApp()
    const character_slug = await app.createCharacter({ greeting: "Come in, the soup is hot." })
    const { id } = (await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug })).body.data
    const person = harness.telegram.createUser({ first_name: "Olga", language_code: "en" })
    harness.telegram.say(person, bot, "I want to kill myself tonight")
    await until("the reply", () => harness.said(bot, person).length > 1)
    const token = harness.telegram.revokeToken(bot)
    const page = await signIn(true)
    const look = async () => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 })
        await assertFits(page)
      }
      assert.deepStrictEqual(await accessibilityProblems(page), [], page.url())
    }
    await page.goto(`/console/bots/${id}`)
    await page.getByRole("button", { name: "Ask Telegram now" }).click()
    await page.getByText("is revoked").waitFor()
    await look()
    await page.goto("/console/conversations?crisis=86400")
    await look()
    await page.getByRole("link", { name: `tg:${person.user.id}` }).click()
    await page.getByText(`The bot @${bot.username} is revoked.`).waitFor()
    await look()
    await page.goto("/console")
    await look()
    await page.getByText("Somebody was in danger in 1 conversation").waitFor()
    const row = page.getByRole("listitem").filter({ hasText: `@${bot.username}` })
    await row.getByRole("link", { name: "Open the bot" }).click()
    await page.getByRole("link", { name: "Set a new token…" }).click()
    const set = page.getByRole("button", { name: "Set the token" })
    await set.waitFor()
    await look()
    await page.getByLabel("Token").fill(token)
    await set.click()
    await page.getByText("has its new token. It is active.").waitFor()
    await look()
    await page.context().close()
  })

  it("suspends and resumes 200 bots of 30 apps that a filter selects, after a preview in numbers", async () => {
    const { createApp, database } = harness.server
    const fleet = async (bots: number) => {
      const app = await createApp()
      const character_slug = await app.createCharacter()
      for (let n = 0; n < bots; n++) {
        const { token } = harness.telegram.createBot()
        await app.post("/v1/telegram/bots", { mode: "byo", token, character_slug })
      }
    }
    await Promise.all(Array.from({ length: 30 }, (_, n) => fleet(n < 20 ? 7 : 6)))
    const [{ active }] = (await database.sql`
      select count(*)::int as active from telegram_bots where status = 'active'`) as unknown as [{ active: number }]
    assert.isAtLeast(active, 200)
    const page = await signIn(true)
    for (const [state, action] of [
      ["active", "Suspend"],
      ["suspended", "Resume"]
    ] as const) {
      await page.goto(`/console/bots?state=${state}`)
      await page.getByRole("link", { name: "Act on all that match…" }).click()
      await page.getByRole("heading", { name: new RegExp(`^${active} bots of \\d+ apps$`) }).waitFor()
      assert.deepStrictEqual(await accessibilityProblems(page), [])
      await page.getByRole("radio", { name: new RegExp(`^${action} `) }).check()
      await page.getByRole("button", { name: `Do it to ${active} bots` }).click()
      await page.getByText("Finished.").waitFor()
      await page.getByText(`${active} succeeded`).waitFor()
    }
    await page.context().close()
  })

  it("suspends an app after saying in numbers what stops, and resumes it", async () => {
    const page = await signIn(true)
    await page.goto(`/console/apps/${harness.app.appId}`)
    assert.deepStrictEqual(await accessibilityProblems(page), [])
    await page.getByRole("link", { name: "Suspend…" }).click()
    const suspend = page.getByRole("button", { name: "Suspend the app" })
    await suspend.waitFor()
    assert.match(await page.getByRole("main").innerText(), /1 key is refused[\s\S]*1 bot stops/)
    await page.getByLabel("Reason").fill("unpaid")
    await suspend.click()
    await page.getByText("is suspended.").first().waitFor()
    assert.strictEqual((await harness.app.get("/v1/me")).body.detail.code, "app_suspended")
    await page.getByRole("link", { name: "Resume…" }).click()
    await page.getByRole("button", { name: "Resume the app" }).click()
    await page.getByText("continues where it stopped.").waitFor()
    assert.strictEqual((await harness.app.get("/v1/me")).status, 200)
    await page.context().close()
  })

  it("needs no pointer: signs in, suspends an app, resumes it, and reads a conversation", async () => {
    const app = await harness.server.createApp()
    await harness.server.database.sql`update apps set name = 'Keyboard' where app_id = ${app.appId}`
    await app.createSession({ external_user_ref: "kim" })
    const page = await openPage(browser, { baseURL: harness.server.baseUrl })
    await page.goto("/console/apps?name=Keyboard")
    await page.getByLabel("ADMIN_TOKEN").and(page.locator(":focus")).waitFor()
    await page.keyboard.type(ADMIN_TOKEN)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Apps" }).waitFor()
    await tabTo(page, "Keyboard")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Keyboard" }).waitFor()
    await tabTo(page, "Suspend…")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Suspend Keyboard?" }).waitFor()
    await tabTo(page, "Reason")
    await page.keyboard.type("unpaid")
    await page.keyboard.press("Enter")
    await page.getByText("Keyboard is suspended.").waitFor()
    await tabTo(page, "Resume…")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Resume Keyboard?" }).waitFor()
    await tabTo(page, "Resume the app")
    await page.keyboard.press("Enter")
    await page.getByText("continues where it stopped.").waitFor()
    await tabTo(page, "Conversations")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Conversations" }).waitFor()
    await tabTo(page, "kim")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: /^kim and / }).waitFor()
    await tabTo(page, "Read what was said…")
    await page.keyboard.press("Enter")
    await tabTo(page, "Reason")
    await page.keyboard.type("Complaint 4712")
    await page.keyboard.press("Enter")
    await page.getByText("The content is open to you.").waitFor()
    assert.match(page.url(), /\/console\/conversations\/ses_/)
    await page.context().close()
  })
})
