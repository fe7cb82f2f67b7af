import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const ANNA = { id: 777_000_222, is_bot: false, first_name: "Anna" }
const CHAT = { id: ANNA.id, type: "private" }
const message = (fields: object) => ({ message: { message_id: 1, date: 1, chat: CHAT, from: ANNA, ...fields } })
const MOST = Number.MAX_SAFE_INTEGER
const NUL = "a\u0000b"
const HALF = "a\ud800b"

/** Fields of an update that Troupe reads, with abnormal values. Sources are as they arrive over the wire. */
const ODD: ReadonlyArray<readonly [string, object | string]> = [
  ["an unpaired surrogate and U+0000 in a text", message({ text: `${NUL}${HALF}` })],
  ["an unpaired surrogate and U+0000 in an album's id", message({ media_group_id: NUL, photo: [{}], caption: "one" })],
  ["an extremely long album id", message({ media_group_id: "x".repeat(100_000), photo: [{}], caption: HALF })],
  [
    "half a letter and no letter in names",
    message({ from: { ...ANNA, first_name: NUL, language_code: HALF }, text: "named" })
  ],
  ["an unpaired surrogate in an attachment", message({ contact: { first_name: HALF }, document: { file_name: NUL } })],
  [
    "numbers without an end",
    `{"message":{"message_id":2,"date":1,"chat":{"id":${ANNA.id},"type":"private"},"from":${JSON.stringify(ANNA)}` +
      `,"location":{"latitude":1e999,"longitude":-1e999},"voice":{"duration":1e999,"file_id":"x",` +
      `"file_size":-1e999}}}`
  ],
  ["a voice message of negative length", message({ voice: { file_id: "x", duration: -1.5, file_size: 0.5 } })],
  [
    "the largest numbers there are",
    message({ message_id: MOST, text: "large", message_thread_id: MOST, is_topic_message: true })
  ],
  ["a negative topic", message({ text: "below", message_thread_id: -7, is_topic_message: true })],
  ["a chat id that is not a number", message({ chat: { id: "7", type: "private" }, text: "x" })],
  [
    "an extremely large chat id",
    `{"message":{"message_id":3,"date":1,"chat":{"id":99999999999999999999,"type":"private"},"from":` +
      `${JSON.stringify(ANNA)},"text":"x"}}`
  ],
  ["an unknown kind of chat", message({ chat: { ...CHAT, type: HALF }, text: "x" })],
  ["lists instead of texts", message({ text: ["x"], caption: { a: 1 } })],
  [
    "all at once",
    message({
      text: "x",
      caption: "y",
      sticker: {},
      poll: { question: NUL },
      photo: [],
      voice: {},
      document: {},
      successful_payment: null
    })
  ],
  ["a command with an invalid argument", message({ text: `/start ${"x".repeat(4000)}${HALF}` })],
  ["a command for an unpaired surrogate", message({ text: `/${HALF}@${NUL}` })],
  [
    "an edit of an unknown message, without content",
    { edited_message: { ...message({ message_id: MOST, text: HALF }).message } }
  ],
  [
    "a press on what is not there",
    {
      callback_query: {
        id: NUL,
        from: ANNA,
        data: NUL,
        message: { message_id: 1, chat: CHAT, reply_markup: { inline_keyboard: [[{ text: NUL, callback_data: NUL }]] } }
      }
    }
  ],
  ["a membership change of nobody", { my_chat_member: { chat: CHAT, from: ANNA, new_chat_member: { status: NUL } } }],
  ["a stop in a missing chat", { stopped_message_generation: { chat: CHAT, message_thread_id: -MOST } }],
  [
    "a payment of no money",
    { pre_checkout_query: { id: NUL, from: ANNA, currency: NUL, total_amount: -MOST, invoice_payload: HALF } }
  ],
  ["a subscription to nothing", { subscription: { user: ANNA, invoice_payload: NUL, state: HALF } }],
  ["a chat that becomes itself", message({ migrate_to_chat_id: ANNA.id })],
  ["a chat that becomes no chat", message({ migrate_from_chat_id: MOST, chat: { id: -MOST, type: "supergroup" } })],
  [
    "its own making",
    `{"__proto__":{"message":1},"constructor":{"prototype":{}},"message":{"message_id":4,"date":1,"chat":{"id":` +
      `${ANNA.id},"type":"private"},"from":${JSON.stringify(ANNA)},"text":"proto"}}`
  ],
  ["a mebibyte", message({ text: "full", extra: "x".repeat(1_000_000) })]
]

describe("an abnormal update", () => {
  it("is handled or skipped, and delays nobody", async () => {
    const { bot, id } = await harness.attach()
    const { sql } = harness.server.database
    const secret = String(harness.telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["secret_token"])
    const hand = async (body: string) =>
      (
        await fetch(`${harness.server.baseUrl}/v1/telegram/hooks/${id}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
          body
        })
      ).status
    let updateId = 4_000_000_000
    for (const [what, odd] of ODD) {
      const source = typeof odd === "string" ? odd : JSON.stringify(odd)
      assert.strictEqual(await hand(`{"update_id":${++updateId},${source.slice(1)}`), 200, what)
    }
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    assert.strictEqual(
      await hand(`{"update_id":4000000999,"deep":${deep},${JSON.stringify(message({ text: "deep" })).slice(1)}`),
      200,
      "deep"
    )
    for (const beyond of ["1e300", "-1", "9007199254740993", "1.5", "null", "[]"])
      assert.strictEqual(await hand(`{"update_id":${beyond}}`), 200, beyond)
    assert.strictEqual(await hand(JSON.stringify({ update_id: ++updateId, ...message({ text: "Well?" }) })), 200)
    const rows = await until("all to be done", async () => {
      const all = await sql<
        Array<{ update_id: number; error: string | null; done: boolean; kind: string }>
      >`select update_id::float8 as update_id, error, done_at is not null as done, kind from telegram_updates
          where channel_id = ${id} and update_id > 4000000000`
      return all.length === ODD.length + 1 && all.every(({ done }) => done) && all
    })
    for (const row of rows) assert.isNull(row.error, ODD[row.update_id - 4_000_000_001]?.[0])
    const chat = (await harness.chatsOf(id)).find((each) => each.chat_id === ANNA.id && each.thread_id === null)
    const heard = (await harness.app.events(chat?.session_id ?? ""))
      .filter(({ role }) => role === "user")
      .map(({ payload }) => String(payload["text"]))
    assert.strictEqual(heard.at(-1), "Well?")
    assert.isTrue(heard.every((text) => text.isWellFormed() && !text.includes("\u0000")))
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status, "active")
  })
})
