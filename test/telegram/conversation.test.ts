import { Api, GrammyError } from "grammy"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { Bot } from "../support/telegram/Bot.ts"
import { type FakeTelegram, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"
import type { Person } from "../support/telegram/Place.ts"

let telegram: FakeTelegram
let bot: Bot
let mia: Person
let api: Api

beforeEach(async () => {
  telegram = await startFakeTelegram()
  bot = telegram.createBot({ username: "ada_bot", name: "Ada" })
  mia = telegram.createUser({ first_name: "Mia" })
  api = new Api(bot.token, { apiRoot: telegram.url })
})
afterEach(() => telegram.close())

/** The words of a refusal. */
const refusal = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(() => undefined, (cause: unknown) => cause)
  assert.instanceOf(error, GrammyError)
  return `${error.error_code} ${error.description}`
}

describe("a private chat", () => {
  it("is not there before the person has started the bot", async () => {
    assert.strictEqual(await refusal(api.sendMessage(mia.id, "hi")), "400 Bad Request: chat not found")
    telegram.start(mia, bot)
    assert.strictEqual((await api.sendMessage(mia.id, "hi")).text, "hi")
  })

  it("shows what both have said, with message ids that count up", async () => {
    const asked = telegram.start(mia, bot, "gift")
    const answered = await api.sendMessage(mia.id, "Hello Mia", { reply_parameters: { message_id: asked.message_id } })
    assert.deepStrictEqual(telegram.transcript(bot, mia).map(({ text }) => text), ["/start gift", "Hello Mia"])
    assert.strictEqual(answered.message_id, asked.message_id + 1)
    assert.strictEqual(answered.reply_to_message?.text, "/start gift")
  })

  it("answers in Telegram's words when the person is gone", async () => {
    telegram.start(mia, bot)
    telegram.block(mia, bot)
    assert.strictEqual(await refusal(api.sendMessage(mia.id, "hi")), "403 Forbidden: bot was blocked by the user")
    telegram.start(mia, bot)
    await api.sendMessage(mia.id, "hi")
    telegram.deactivate(mia)
    assert.strictEqual(await refusal(api.sendMessage(mia.id, "hi")), "403 Forbidden: user is deactivated")
  })
})
