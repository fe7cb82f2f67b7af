import { assert } from "vitest"
import type * as z from "zod"
import type { BotData, ChatPage } from "#src/http/telegram/telegramSchemas.ts"
import type { Update } from "@grammyjs/types"
import type { TestApp } from "./TestApp.ts"
import { type FakeTelegram, type FakeTelegramOptions, startFakeTelegram } from "./telegram/FakeTelegram.ts"
import { startTestServer, type TestServer } from "./TestServer.ts"
import { until } from "./until.ts"

export type FakeBot = ReturnType<FakeTelegram["createBot"]>
export type FakePerson = ReturnType<FakeTelegram["createUser"]>
export type BotResource = z.output<typeof BotData>
export type ChatResource = z.output<typeof ChatPage>["chats"][number]

/** The server, with a fake Telegram Bot API and an app that attaches bots. */
export interface TelegramHarness {
  readonly telegram: FakeTelegram
  readonly server: TestServer
  readonly app: TestApp
  readonly attach: (
    fields?: Record<string, unknown>,
    bot?: FakeBot
  ) => Promise<{ readonly bot: FakeBot; readonly id: string; readonly body: BotResource }>
  readonly chatsOf: (botId: string) => Promise<ReadonlyArray<ChatResource>>
  /** Posts an update to the bot's webhook as Telegram would, without the fake knowing about it. */
  readonly hand: (
    attached: { readonly bot: FakeBot; readonly id: string },
    update: Omit<Update, "update_id">
  ) => Promise<number>
  /** What the bot has said to this person, in order. */
  readonly said: (bot: FakeBot, person: FakePerson) => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export const startTelegramHarness = async (
  options: {
    readonly fake?: FakeTelegramOptions
    /** One that is started already, such as one with a manager bot. */
    readonly telegram?: FakeTelegram
    readonly env?: Record<string, string>
  } = {}
): Promise<TelegramHarness> => {
  const telegram = options.telegram ?? (await startFakeTelegram({ takesAnyWebhookUrl: true, ...options.fake }))
  const server = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url, ...options.env } })
  const app = await server.createApp()
  // Above all ids that the fake assigns.
  let handed = 3_000_000_000
  return {
    telegram,
    server,
    app,
    attach: async (fields = {}, bot = telegram.createBot()) => {
      const character_slug =
        fields["character_slug"] ?? (await app.createCharacter({ greeting: "Come in, the soup is hot." }))
      const { status, body } = await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        join_window_ms: 0,
        ...fields,
        character_slug
      })
      assert.strictEqual(status, 200, JSON.stringify(body))
      return { bot, id: body.data.id, body: body.data }
    },
    chatsOf: async (botId) => (await app.get(`/v1/telegram/bots/${botId}/chats`)).body.data.chats,
    hand: async ({ bot, id }, update) => {
      const secret = String(telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
      const updateId = handed++
      const { status } = await fetch(`${server.baseUrl}/v1/telegram/hooks/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
        body: JSON.stringify({ update_id: updateId, ...update })
      })
      assert.strictEqual(status, 200)
      return updateId
    },
    said: (bot, person) =>
      telegram
        .transcript(bot, person)
        .flatMap((message) => (message.from?.id === bot.id ? [message.text ?? message.caption ?? ""] : [])),
    close: async () => {
      await server.close()
      await telegram.close()
    }
  }
}

/** Waits until the bot has sent this many messages to this person. */
export const saidAtLeast = (harness: TelegramHarness, bot: FakeBot, person: FakePerson, count: number) =>
  until(`${count} messages of the bot`, () => {
    const said = harness.said(bot, person)
    return said.length >= count && said
  })
