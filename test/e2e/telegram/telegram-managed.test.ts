import { decodeQR } from "qr/decode.js"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { freePort } from "#test/support/freePort.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"
import { hasBrowser, openPage, startBrowser } from "#test/support/Browser.ts"

/** A folder for screenshots of each step, for inspection. */
const PICTURES = process.env["PICTURES"]
const SIZES = { narrow: { width: 360, height: 640 }, wide: { width: 1280, height: 900 } }
const GREETING = "Come in, the soup is hot."

type FakeBot = ReturnType<FakeTelegram["createBot"]>
interface Operation {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What a phone's camera reads from a picture on the screen. */
const scan = async (page: Page, picture: string): Promise<string> => {
  await page.setContent(
    `<body style="margin:0;display:grid;place-items:center;height:100vh;background:#222"><img alt="QR" ` +
      `width="300" height="300" src="${picture}"></body>`
  )
  await page.getByAltText("QR").waitFor()
  const pixels = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 240, height: 240 })
    const context = canvas.getContext("2d")
    context.drawImage(document.querySelector("img"), 0, 0, 240, 240)
    const { data } = context.getImageData(0, 0, 240, 240)
    return btoa(data.reduce((text, byte) => text + String.fromCharCode(byte), ""))
  })()`)
  return decodeQR({ data: Buffer.from(pixels, "base64"), width: 240, height: 240 })
}

describe.skipIf(!hasBrowser)("a managed bot, from its link to the loss of its owner", () => {
  let database: TestDatabase
  let telegram: FakeTelegram
  let manager: FakeBot
  let troupe: TroupeProcess
  let app: TestApp
  let browser: Browser
  let page: Page
  const errors: Array<string> = []
  const start = (port: string) =>
    startTroupe({
      NODE_ENV: "production",
      SECRETS_KEY,
      PORT: port,
      DATABASE_URL: database.url,
      TELEGRAM_API_ROOT: telegram.url,
      TELEGRAM_MANAGER_TOKEN: manager.token
    })
  beforeAll(async () => {
    database = await createTestDatabase()
    telegram = await startFakeTelegram({ takesAnyWebhookUrl: true, hasSimulator: true })
    manager = telegram.createBot({ username: "maker_bot", name: "Bot maker", can_manage_bots: true })
    for (const first_name of ["Olga", "Olaf"]) telegram.createUser({ first_name })
    troupe = await start(String(await freePort()))
    const { appId, key } = await createAppIn(database.sql)
    app = new TestApp(troupe.baseUrl, appId, key)
    browser = await startBrowser()
    page = await openPage(browser, { viewport: SIZES.narrow })
    page.on("pageerror", ({ message }) => errors.push(message))
  })
  afterAll(async () => {
    await browser.close()
    await troupe.stop("SIGKILL")
    await telegram.close()
    await database.drop()
    assert.deepStrictEqual(errors, [])
  })

  let id: string
  let child: FakeBot
  let link: { readonly url: string; readonly qr: string; readonly claim_url: string; readonly claim_qr: string }
  const bot = async () => (await app.get(`/v1/telegram/bots/${id}`)).body.data
  const operations = async (): Promise<ReadonlyArray<Operation>> =>
    (await app.get("/v1/delivery/events")).body.data.events
  const said = () => page.getByRole("log").locator(".message.theirs[data-id] .text").allInnerTexts()
  const write = async (text: string) => {
    await page.getByLabel("Message", { exact: true }).fill(text)
    await page.keyboard.press("Enter")
  }
  /** Sends a message, and waits for the answer. */
  const ask = async (text: string) => {
    const before = (await said()).length
    await write(text)
    await until(`an answer to ${text}`, async () => (await said()).length > before)
  }
  let steps = 0
  const picture = async (name: string) => {
    if (PICTURES === undefined) return
    steps += 1
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      await page.screenshot({ path: join(PICTURES, `${String(steps).padStart(2, "0")}-${name}-${size}.png`) })
    }
    await page.setViewportSize(SIZES.narrow)
  }

  it("starts with links that can also be scanned", async () => {
    const character_slug = await app.createCharacter({
      greeting: GREETING,
      visible_bio: "Keeps a kitchen by the harbour."
    })
    const { status, body } = await app.post("/v1/telegram/bots", {
      mode: "managed",
      character_slug,
      suggested_name: "Mara",
      join_window_ms: 0
    })
    assert.strictEqual(status, 200, JSON.stringify(body))
    id = body.data.id
    link = body.data.link
    assert.strictEqual(await scan(page, link.qr), link.url)
    assert.strictEqual(await scan(page, link.claim_qr), link.claim_url)
    await picture("qr")
    assert.strictEqual((await bot()).status, "awaiting_creation")
  })

  it("asks the person who opens the link for the bot's names, and then belongs to them under those names", async () => {
    await page.goto(`${telegram.url}/_sim/`)
    await picture("list")
    await page.getByLabel("Open a t.me link").fill(link.claim_url)
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Create the bot" }).waitFor()
    await picture("manager")
    await page.getByRole("button", { name: "Create the bot" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Username").waitFor()
    assert.strictEqual(await dialog.getByLabel("Name", { exact: true }).inputValue(), "Mara")
    assert.include(link.url, await dialog.getByLabel("Username").inputValue())
    await picture("dialog")
    await dialog.getByLabel("Username").fill("maker_bot")
    await page.keyboard.press("Enter")
    await dialog.getByText("This username is already taken.").waitFor()
    await picture("dialog-taken")
    await dialog.getByLabel("Username").fill("harbour_kitchen_bot")
    await dialog.getByRole("button", { name: "Create" }).click()
    await page.getByRole("button", { name: "Start" }).waitFor()
    child = await until("the bot", () => telegram.findBot("harbour_kitchen_bot"))
  })

  it("has its token fetched and its webhook set", async () => {
    const active = await until("the bot to be active", async () => {
      const now = await bot()
      return now.status === "active" && now
    })
    assert.deepInclude(active, {
      username: "harbour_kitchen_bot",
      telegram_user_id: child.id,
      token_hint: `${child.id}:...${child.token.slice(-4)}`
    })
    const { result } = (await (await fetch(`${telegram.url}/bot${child.token}/getWebhookInfo`)).json()) as {
      readonly result: { readonly url: string }
    }
    assert.strictEqual(result.url, `${troupe.baseUrl}/v1/telegram/hooks/${id}`)
    await until("the app to be told", async () => (await operations()).length > 0)
    assert.deepStrictEqual(
      (await operations()).map(({ type }) => type),
      ["bot.active"]
    )
    await page.getByText("Keeps a kitchen by the harbour.").waitFor()
    await picture("not-started")
  })

  it("greets its owner and answers messages", async () => {
    await page.getByRole("button", { name: "Start" }).click()
    await page.getByText(GREETING).waitFor()
    await ask("What is for dinner?")
    await picture("answered")
    const [chat] = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats
    assert.notInclude(
      (await app.events(chat.session_id)).map(({ type }) => type),
      "run.status"
    )
  })

  it("gets a new token on demand, and loses no message written meanwhile", async () => {
    const old = child.token
    telegram.advance(2000)
    telegram.fault({ bot: child, method: "setWebhook" }, { kind: "slow", ms: 1500 })
    const rotating = app.post(`/v1/telegram/bots/${id}/rotate-token`, {})
    await until("the old token to be revoked", () => child.token !== old)
    // The new one has no webhook yet.
    await ask("Are you still there?")
    assert.strictEqual((await rotating).body.data.token_hint, `${child.id}:...${child.token.slice(-4)}`)
    assert.strictEqual((await fetch(`${telegram.url}/bot${old}/getMe`)).status, 401)
  })

  it("gets its token again if the process dies between the replacement and storing it", async () => {
    const old = child.token
    telegram.advance(2000)
    // The one call between the two.
    telegram.fault({ bot: child, method: "getMe", count: 2 }, { kind: "hang" })
    const rotating = app.post(`/v1/telegram/bots/${id}/rotate-token`, {}).catch(() => "died")
    await until("the old token to be revoked", () => child.token !== old)
    await troupe.stop("SIGKILL")
    assert.strictEqual(await rotating, "died")
    telegram.clearFaults()
    await write("Is anybody there?")
    await picture("dead-process")
    troupe = await start(new URL(troupe.baseUrl).port)
    // Telegram repeats what the dead process did not confirm.
    const back = until(
      "the new token",
      async () => (await bot()).token_hint === `${child.id}:...${child.token.slice(-4)}`
    )
    telegram.advance(5000)
    await back
    const before = (await said()).length
    await ask("You are back!")
    assert.isAbove((await said()).length, before)
  })

  it("continues by itself when its owner revokes the token", async () => {
    const old = child.token
    telegram.advance(2000)
    await page.getByRole("button", { name: "More" }).click()
    await picture("owner-menu")
    await page.getByRole("button", { name: "Revoke token" }).click()
    await page.getByRole("status").getByText("The token is revoked").waitFor()
    await picture("revoked")
    assert.notStrictEqual(child.token, old)
    await until("the operational event", async () =>
      (await operations()).some(({ type, payload }) => type === "bot.token_replaced" && payload["bot_id"] === id)
    )
    assert.strictEqual((await bot()).token_hint, `${child.id}:...${child.token.slice(-4)}`)
    // A typing indicator with the old token may have revoked the bot before the new one arrived.
    await until("the bot to be active", async () => (await bot()).status === "active")
    await ask("And now?")
  })

  it("stops answering when its owner gives it away, until the app confirms", async () => {
    await page.getByRole("button", { name: "More" }).click()
    await page.getByRole("button", { name: "Give to Olaf" }).click()
    await page.getByRole("status").getByText("The bot is Olaf’s now").waitFor()
    await page.getByText("Olaf’s · @harbour_kitchen_bot").waitFor()
    await until("the bot to be suspended", async () => (await bot()).status === "suspended")
    assert.strictEqual((await bot()).reason, "owner_changed")
    assert.isTrue(
      (await operations()).some(({ type, payload }) => type === "bot.owner_changed" && payload["bot_id"] === id)
    )
    const before = (await said()).length
    await write("Whose are you?")
    await until(
      "it to be held",
      async () =>
        (await database.sql`select 1 from telegram_updates where kind = 'text' and done_at is null`).length === 1
    )
    assert.lengthOf(await said(), before)
    await picture("given-away")
    telegram.advance(2000)
    assert.strictEqual((await app.post(`/v1/telegram/bots/${id}/resume`, {})).body.data.status, "active")
    await until("the held messages to be answered", async () => (await said()).length > before)
    await picture("resumed")
  })

  it("has received and answered everything once, whatever happened", async () => {
    const [chat] = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats
    const texts = [
      "What is for dinner?",
      "Are you still there?",
      "Is anybody there?",
      "You are back!",
      "And now?",
      "Whose are you?"
    ]
    const answered = await until("all answers", async () => {
      const found = (await app.events(chat.session_id)).filter(
        ({ type, role }) => type === "message.created" && role === "character"
      )
      return found.length >= texts.length && found
    })
    assert.lengthOf(answered, texts.length)
    assert.deepStrictEqual(
      (await app.events(chat.session_id)).flatMap(({ role, payload }) => (role === "user" ? [payload["text"]] : [])),
      texts
    )
    const bubbles = answered.flatMap(({ payload }) => payload["bubbles"] as ReadonlyArray<string>)
    await until("all of it on the page", async () => (await said()).length > bubbles.length)
    assert.deepStrictEqual(await said(), [GREETING, ...bubbles])
  })

  it("ends when it is deleted: its app is notified, and the bot can still be detached", async () => {
    telegram.deleteBot(child)
    await app.post(`/v1/telegram/bots/${id}/probe`, {})
    assert.deepInclude(await bot(), { status: "revoked", reason: "token_rejected" })
    assert.strictEqual((await operations()).at(-1)?.type, "bot.revoked")
    assert.strictEqual((await app.delete(`/v1/telegram/bots/${id}`)).status, 200)
  })
})
