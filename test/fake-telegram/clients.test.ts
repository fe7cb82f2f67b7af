import type { APIMethods } from "gramio"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { Bot } from "../support/telegram/Bot.ts"
import { type FakeTelegram, startFakeTelegram } from "../support/telegram/FakeTelegram.ts"
import { methods, type MethodName } from "../support/telegram/methods.ts"
import type { Person } from "../support/telegram/ChatState.ts"
import { until } from "../support/until.ts"
import type { ForeignClient, Told } from "./clients/Client.ts"
import { gramioClient } from "./clients/gramio.ts"
import { grammyClient } from "./clients/grammy.ts"
import { nodeTelegramBotApiClient } from "./clients/nodeTelegramBotApi.ts"
import { telegrafClient } from "./clients/telegraf.ts"

const CLIENTS = {
  grammY: grammyClient,
  Telegraf: telegrafClient,
  GramIO: gramioClient,
  "node-telegram-bot-api": nodeTelegramBotApiClient
}
const PICTURE = Buffer.from("not really a picture\r\n--nor a boundary")

const listen = async (handler: RequestListener) => {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, close }
}

describe.each(Object.entries(CLIENTS))("%s", (_name, clientOf) => {
  let telegram: FakeTelegram
  let bot: Bot
  let mia: Person
  let client: ForeignClient

  beforeEach(async () => {
    telegram = await startFakeTelegram({ speed: 20, takesAnyWebhookUrl: true })
    bot = telegram.createBot({ username: "ada_bot", name: "Ada" })
    mia = telegram.createUser({ first_name: "Mia" })
    telegram.start(mia, bot)
    client = clientOf(bot.token, telegram.url)
  })
  afterEach(() => telegram.close())

  const told = async (call: Promise<unknown>): Promise<Told | undefined> =>
    client.told(
      await call.then(
        () => undefined,
        (cause: unknown) => cause
      )
    )

  it("gets its own profile", async () => {
    const me = await client.getMe()
    assert.deepStrictEqual([me.id, me.username], [bot.id, "ada_bot"])
  })

  it("sends a text with entities", async () => {
    const sent = await client.sendMessage(mia.id, "Hello 🌱 world", [{ type: "bold", offset: 9, length: 5 }])
    const [, message] = telegram.transcript(bot, mia)
    assert.strictEqual(message?.message_id, sent.message_id)
    assert.deepStrictEqual(
      [message?.text, message?.entities],
      ["Hello 🌱 world", [{ type: "bold", offset: 9, length: 5 }]]
    )
  })

  it("uploads a picture that can be downloaded byte for byte", async () => {
    await client.sendPhoto(mia.id, PICTURE, "a picture.jpg", "look")
    const [, message] = telegram.transcript(bot, mia)
    assert.strictEqual(message?.caption, "look")
    const id = message?.photo?.at(-1)?.file_id ?? ""
    const file = (await (await fetch(`${telegram.url}/bot${bot.token}/getFile?file_id=${id}`)).json()) as {
      readonly result: { readonly file_path: string }
    }
    const bytes = await (await fetch(`${telegram.url}/file/bot${bot.token}/${file.result.file_path}`)).bytes()
    assert.strictEqual(Buffer.from(bytes).toString(), PICTURE.toString())
  })

  it("receives a refusal with its code and description", async () => {
    assert.deepStrictEqual(await told(client.sendMessage(1, "hi", [])), {
      code: 400,
      description: "Bad Request: chat not found",
      retryAfter: undefined
    })
  })

  it("receives the time to wait", async () => {
    telegram.fault(
      { method: "sendMessage" },
      { kind: "error", code: 429, description: "Too Many Requests: retry after 70", parameters: { retry_after: 70 } }
    )
    assert.strictEqual((await told(client.sendMessage(mia.id, "hi", [])))?.retryAfter, 70)
  })

  it("receives messages by polling", async () => {
    const heard: Array<string> = []
    const polling = client.poll((text) => heard.push(text))
    await until("the first message", () => heard.includes("/start"))
    telegram.say(mia, bot, "how are you?")
    await until("the second message", () => heard.includes("how are you?"))
    const stopped = polling.stop()
    telegram.advance(60_000)
    await stopped
    assert.deepStrictEqual(heard, ["/start", "how are you?"])
  })

  it("receives messages by webhook", async () => {
    const heard: Array<string> = []
    const hook = await listen(client.webhook("a-secret", (text) => heard.push(text)))
    try {
      await fetch(`${telegram.url}/bot${bot.token}/setWebhook`, {
        method: "POST",
        body: new URLSearchParams({ url: hook.url, secret_token: "a-secret" })
      })
      telegram.say(mia, bot, "how are you?")
      await until("both messages", () => heard.length === 2)
      assert.deepStrictEqual(heard, ["/start", "how are you?"])
      await until("nothing is pending", () => telegram.pendingUpdates(bot).length === 0)
    } finally {
      await hook.close()
    }
  })
})

/**
 * Does not compile if a method of the fake is missing in GramIO's types of the Bot API; `Methods` checks them against
 * grammY's.
 */
const NAMES_IN_BOTH: MethodName extends keyof APIMethods ? true : false = true

describe("the methods", () => {
  it("are those that the types of two clients declare", () => {
    assert.isTrue(NAMES_IN_BOTH)
    assert.isAbove(methods.size, 40)
  })
})
