import { Api, InlineKeyboard } from "grammy"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import type { Bot } from "../support/telegram/Bot.ts"
import { type FakeTelegram, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"
import type { Person } from "../support/telegram/ChatState.ts"
import { until } from "../support/until.ts"
import { hasBrowser, openPage, startBrowser } from "#test/support/Browser.ts"

describe.skipIf(!hasBrowser)("the phone", () => {
  let browser: Browser
  let telegram: FakeTelegram
  let page: Page
  let mia: Person
  let ada: Bot
  let api: Api
  let errors: Array<string>

  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    telegram = await startFakeTelegram({ hasSimulator: true })
    mia = telegram.createUser({ first_name: "Mia" })
    ada = telegram.createBot({ username: "ada_bot", name: "Ada" })
    api = new Api(ada.token, { apiRoot: telegram.url })
    page = await openPage(browser)
    errors = []
    page.on("pageerror", ({ message }) => errors.push(message))
  })
  afterEach(async () => {
    await page.close()
    await telegram.close()
    assert.deepStrictEqual(errors, [])
  })

  const open = (fragment = "") => page.goto(`${telegram.url}/_sim/${fragment}`)
  const said = () => telegram.transcript(ada, mia).map(({ text }) => text)

  it("starts a bot and chats with it by keyboard alone", async () => {
    await open()
    await page.getByRole("button", { name: /Ada/ }).press("Enter")
    await page.getByRole("button", { name: "Start" }).press("Enter")
    await page.getByLabel("Message", { exact: true }).fill("hello")
    await page.keyboard.press("Enter")
    await until("both texts", () => said().length === 2)
    assert.deepStrictEqual(said(), ["/start", "hello"])
    await page.keyboard.press("Escape")
    await page.getByText("You: hello").waitFor()
  })

  it("shows what the bot does as it happens", async () => {
    telegram.start(mia, ada)
    await open(`#/bot/${ada.id}`)
    await api.sendChatAction(mia.id, "typing")
    await page.getByText("typing…").waitFor()
    await api.sendMessageDraft(mia.id, 1, "Once upon", { can_stop: true })
    await page.getByRole("button", { name: "Stop" }).click()
    await until("the update", () => telegram.pendingUpdates(ada).some((update) => update.stopped_message_generation))
    const { message_id } = await api.sendMessage(mia.id, "<img src=x onerror=alert(1)> bold", {
      entities: [{ type: "bold", offset: 29, length: 4 }]
    })
    await page.locator("b", { hasText: "bold" }).waitFor()
    await page.getByText("<img src=x onerror=alert(1)>").waitFor()
    await api.editMessageText(mia.id, message_id, "something else")
    await page.getByText("something else").waitFor()
    await api.deleteMessage(mia.id, message_id)
    await page.getByText("something else").waitFor({ state: "detached" })
    assert.deepStrictEqual(said(), ["/start"])
  })

  it("presses a button, keeps the focus there, and shows the answer", async () => {
    telegram.start(mia, ada)
    await open(`#/bot/${ada.id}`)
    await api.sendMessage(mia.id, "Tea?", { reply_markup: new InlineKeyboard().text("Yes", "y") })
    const button = page.getByRole("button", { name: "Yes" })
    await button.press("Enter")
    const query = await until(
      "the query",
      () => telegram.pendingUpdates(ada).find((update) => update.callback_query)?.callback_query
    )
    await api.sendMessage(mia.id, "Here it is")
    await page.getByText("Here it is").waitFor()
    assert.isTrue(await button.evaluate((element) => element.matches(":focus")))
    await api.answerCallbackQuery(query.id, { text: "With milk" })
    await page.getByRole("status").getByText("With milk").waitFor()
  })

  it("blocks a bot and unblocks it", async () => {
    telegram.start(mia, ada)
    await open(`#/bot/${ada.id}`)
    await page.getByRole("button", { name: "More" }).click()
    await page.getByRole("button", { name: "Block bot" }).click()
    await page.getByRole("button", { name: "Restart" }).click()
    await page.getByLabel("Message", { exact: true }).waitFor()
    assert.deepStrictEqual(
      telegram
        .pendingUpdates(ada)
        .map((update) => update.my_chat_member?.new_chat_member.status ?? update.message?.text),
      ["/start", "kicked", "member", "/start"]
    )
  })

  it("creates a new bot from a link of its manager", async () => {
    const keeper = telegram.createBot({ username: "keeper_bot", name: "Keeper", can_manage_bots: true })
    telegram.start(mia, keeper)
    await new Api(keeper.token, { apiRoot: telegram.url }).sendMessage(mia.id, "Here:", {
      reply_markup: new InlineKeyboard().url("Create", "https://t.me/newbot/keeper_bot/ada_bot?name=Rose")
    })
    await open(`#/bot/${keeper.id}`)
    await page.getByRole("button", { name: "Create" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Create" }).click()
    await dialog.getByText("This username is already taken.").waitFor()
    await dialog.getByLabel("Username").fill("rose_x1_bot")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Start" }).waitFor()
    const update = telegram.pendingUpdates(keeper).find(({ managed_bot }) => managed_bot)?.managed_bot
    assert.deepStrictEqual(
      [update?.user.id, update?.bot.username, update?.bot.first_name],
      [mia.id, "rose_x1_bot", "Rose"]
    )
  })

  it("follows a link with a payload", async () => {
    await open()
    await page.getByLabel("Open a t.me link").fill("t.me/ada_bot?start=gift-7")
    await page.keyboard.press("Enter")
    await page.getByRole("log").getByText("/start gift-7").waitFor()
    assert.deepStrictEqual(said(), ["/start gift-7"])
  })

  it("sends a file, and replies to a message", async () => {
    telegram.start(mia, ada)
    await open(`#/bot/${ada.id}`)
    await api.sendMessage(mia.id, "Show me")
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") })
    await page.getByText("notes.txt").waitFor()
    await page.getByRole("button", { name: "Reply" }).nth(1).press("Enter")
    await page.keyboard.type("There you are")
    await page.keyboard.press("Enter")
    const reply = await until("the reply", () =>
      telegram.transcript(ada, mia).find(({ text }) => text === "There you are")
    )
    assert.strictEqual(reply.reply_to_message?.text, "Show me")
    assert.strictEqual(telegram.transcript(ada, mia)[2]?.document?.file_name, "notes.txt")
  })
})
