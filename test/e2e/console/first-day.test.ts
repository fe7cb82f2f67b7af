import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasBrowser, openPage, startBrowser } from "#test/support/browser/Browser.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const SAID = "What is for dinner, now that my sister has left for Lisbon?"

let folder: string
let telegram: FakeTelegram
let receiver: Receiver
let broken = true
let server: TroupeProcess
let app: TestApp
let browser: Browser
let context: BrowserContext
let page: Page
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-console-"))
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  receiver = await startReceiver((response) => response.writeHead(broken ? 500 : 200).end(broken ? "out of order" : ""))
  server = await startTroupe({
    DATA_DIR: join(folder, "data"),
    TELEGRAM_API_ROOT: telegram.url,
    OUTBOUND_ALLOW: "127.0.0.1"
  })
  const key = /ck_[0-9A-Za-z]{46}/.exec(server.stdout())?.[0] ?? assert.fail("no key was printed")
  const { app_id } = (await new TestApp(server.baseUrl, "", key).get("/v1/me")).body.data
  app = new TestApp(server.baseUrl, app_id, key)
  browser = await startBrowser()
  page = await openPage(browser, { baseURL: server.baseUrl })
  context = page.context()
})
afterAll(async () => {
  await browser.close()
  await server.stop("SIGTERM")
  await receiver.close()
  await telegram.close()
  await rm(folder, { recursive: true, force: true })
})

const screen = (name: string) => page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name })
const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name })

/** A stream that is read until it ends. */
const openStream = async (path: string, token: string) => {
  const { body } = await fetch(server.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
  const reader = body?.getReader() ?? assert.fail("no stream")
  await reader.read()
  const readOn = async () => {
    while (!(await reader.read()).done);
  }
  return { ended: readOn() }
}

describe.skipIf(!hasBrowser)("from an empty data folder, the console", () => {
  it("opens with the link that the start prints, once, and says that nothing is wrong", async () => {
    const link = /http:\S+\/console\?code=\w+/.exec(server.stdout())?.[0] ?? assert.fail("no link was printed")
    await page.goto(link)
    await heading("Overview").waitFor()
    await page.getByText("(owner)").waitFor()
    const stranger = await openPage(browser)
    await stranger.goto(link)
    assert.notInclude(await stranger.content(), "Overview")
    await stranger.context().close()
  })

  it("attaches a bot, and shows a conversation with it as a phone would", async () => {
    const character = await app.createCharacter({ greeting: "Come in, the soup is hot." })
    const bot = telegram.createBot()
    await screen("Bots").click()
    await page.getByRole("link", { name: "Attach a bot" }).first().click()
    const form = page.getByRole("region", { name: "With its token" })
    await form.getByLabel("App").fill(app.appId)
    await form.getByLabel("Character").fill(character)
    await form.getByLabel("Token", { exact: true }).fill(bot.token)
    await form.getByRole("button", { name: "Attach the bot" }).click()
    await page.getByText("is attached. It is active.").waitFor()
    const person = telegram.createUser()
    telegram.start(person, bot)
    telegram.say(person, bot, SAID)
    await until(
      "the reply",
      () => telegram.transcript(bot, person).filter(({ from }) => from?.id === bot.id).length >= 2
    )
    await screen("Conversations").click()
    await page.getByRole("row").nth(1).getByRole("link").first().click()
    const phone = page.getByRole("log", { name: "Conversation" })
    await phone.getByText("sent").first().waitFor()
    assert.notInclude(await page.content(), "Lisbon")
    await page
      .getByRole("heading", { name: /^Turn \d/ })
      .first()
      .waitFor()
    await page.getByText("Read what was said…").click()
    await page.getByLabel("Reason").fill("Complaint 4711: the soup was cold")
    await page.getByRole("button", { name: "Open the content" }).click()
    await phone.getByText(SAID).waitFor()
    await screen("Audit").click()
    await page.getByText("Complaint 4711").waitFor()
  })

  it("names the broken webhook on its first screen, and lets it be repaired and resumed", async () => {
    const session = await app.createSession()
    const url = `${receiver.url}/hook`
    assert.strictEqual((await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url })).status, 200)
    await app.converse(session, "And for lunch?")
    await screen("Overview").click()
    await page.getByText("A webhook is failing").waitFor()
    await page.getByRole("link", { name: "Open the webhook" }).first().click()
    await page.getByRole("button", { name: "Pause the webhook" }).click()
    const resume = page.getByRole("button", { name: "Resume the webhook" })
    await resume.waitFor()
    broken = false
    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByText("The endpoint accepted the test event").waitFor()
    await resume.click()
    await page.getByText("continues from where it stopped").waitFor()
    const { length } = await app.events(session)
    await until(
      "every event at the webhook",
      () => new Set(receiver.requests.map(({ headers }) => headers["x-service-cursor"]).filter(Number)).size >= length
    )
    await screen("Overview").click()
    await page.getByText("A webhook is failing").waitFor({ state: "detached" })
  })

  it("tries a character in a chat that looks like a messenger, and shows the reply when it is there", async () => {
    await screen("Characters").click()
    await page.getByRole("link", { name: "Mara" }).first().click()
    await page.getByRole("link", { name: "Test chat" }).click()
    await page.getByLabel(/^Message to/).fill("What is for dinner?")
    await page.keyboard.press("Enter")
    await page.getByText("What is for dinner?").waitFor()
    const replies = page.locator(".bubble.theirs:not(.typing)")
    await replies.nth(1).or(replies.first()).first().waitFor()
    await until("the reply", async () => (await page.locator(".typing").count()) === 0)
    assert.isAtLeast(await replies.count(), 1)
    await page.getByRole("button", { name: "Start over" }).click()
    await page.getByText("A new conversation has started.").waitFor()
    assert.strictEqual(await page.getByText("What is for dinner?").count(), 0)
    await screen("Audit").click()
    await page.getByText("character test chat started").first().waitFor()
  })

  it("suspends an app while it streams: its stream ends, and an older one of the console does not", async () => {
    const session = await app.createSession()
    const older = await context.newPage()
    await older.goto("/console/bots")
    await older.getByRole("status").first().getByText("Live").waitFor()
    const stream = await openStream(`/v1/sessions/${session}/events/stream`, app.key)
    await page.goto(`/console/apps/${app.appId}/suspend`)
    await page.getByLabel("Reason").fill("unpaid")
    await page.getByRole("button", { name: "Suspend the app" }).click()
    await page.getByText("is suspended.").first().waitFor()
    await stream.ended
    await older.getByRole("status").first().getByText("Live").waitFor()
    await older.close()
    assert.strictEqual((await app.get("/v1/me")).body.detail.code, "app_suspended")
    await page.getByRole("link", { name: "Resume…" }).click()
    await page.getByRole("button", { name: "Resume the app" }).click()
    await page.getByText("continues where it stopped.").waitFor()
    assert.strictEqual((await app.get("/v1/me")).status, 200)
  })

  it("ends the open screens of a session and of a token that are revoked, and no older stream", async () => {
    await screen("Operators").click()
    const form = page.getByRole("form", { name: "Create an operator token" })
    await form.getByLabel("Name").fill("Wall screen")
    await form.getByRole("button", { name: "Create the token" }).click()
    const token = await page.getByLabel("The token").innerText()
    let isOlderOver = false
    const older = await openStream(`/v1/sessions/${await app.createSession()}/events/stream`, app.key)
    void older.ended.then(() => (isOlderOver = true))
    const ofToken = await openStream("/console/bots?live=1", token)
    await page.getByRole("link", { name: "I have copied it" }).click()
    const revoke = page.getByRole("button", { name: `Revoke ${token.slice(0, 11)}…` })
    await revoke.waitFor()
    assert.notInclude(await page.content(), token)
    await revoke.click()
    await page.getByText("The token Wall screen is revoked.").waitFor()
    await ofToken.ended
    assert.isFalse(isOlderOver)
    const state = page.getByRole("status").first()
    await state.getByText("Live").waitFor()
    const other = await context.newPage()
    await other.goto("/console/operators")
    await other
      .locator("tr", { hasText: "this browser" })
      .getByRole("button", { name: /^End os_/ })
      .click()
    await other.getByRole("heading", { name: /Sign in/ }).waitFor()
    await page.getByText(/Not live|Reconnecting/).waitFor()
  })
})
