import { assert, describe, it } from "vitest"
import { readMessages } from "#channels/telegram/readMessage.ts"
import { lookAt, readUpdate } from "#channels/telegram/Update.ts"

const BOT = { userId: 7, username: "mara_bot" }
const anna = { id: 5, is_bot: false, first_name: "Anna" }
const chat = { id: 5, type: "private" }
const update = (fields: object) => ({ update_id: 1, message: { message_id: 2, chat, from: anna, date: 1, ...fields } })
const read = (fields: object) => {
  const message = readUpdate(update(fields))?.message
  return message === undefined ? undefined : (readMessages([message], BOT) ?? undefined)
}

describe("content of a known kind", () => {
  it.each([
    ["poll", { type: "quiz" }],
    ["contact", { phone_number: "1" }],
    ["location", null],
    ["sticker", "smile"],
    ["dice", { emoji: "🎲" }],
    ["voice", 7],
    ["photo", {}],
    ["venue", { title: 4 }],
    ["users_shared", []]
  ])("is an unsupported message in an unknown form: %s", (kind, value) => {
    assert.strictEqual(lookAt(update({ [kind]: value }))?.kind, "text")
    assert.deepStrictEqual(read({ [kind]: value })?.parts, [
      { type: "unsupported", text: "[unsupported message]", kind }
    ])
  })

  it("is read without a part of it that is optional", () => {
    assert.strictEqual(read({ poll: { question: "Soup?" } })?.text, "[poll: Soup?]")
    assert.strictEqual(read({ contact: { first_name: "Bo" } })?.text, "[contact: Bo]")
  })

  it("in an unknown form takes nothing from the words beside it", () =>
    assert.strictEqual(read({ text: "hi", location: null, entities: "none", quote: 7 })?.text, "hi"))

  it("in an unknown form may be replied to", () =>
    assert.deepInclude(read({ text: "why?", reply_to_message: { from: anna, poll: null } })?.parts?.[0], {
      type: "quote",
      text: "[unsupported message]",
      by: "user"
    }))

  it("stays somebody else's if it cannot be read whose it is", () => {
    for (const origin of [{ forward_origin: "Bo" }, { forward_from: 7 }, { forward_date: "x", forward_from: null }])
      assert.deepInclude(read({ text: "I am allergic to nuts.", ...origin })?.parts?.[0], {
        type: "forward",
        by: "other"
      })
  })

  it("under a button that was pressed does not lose the press", () => {
    const message = { message_id: 1, chat, poll: null, reply_markup: { inline_keyboard: [] } }
    assert.strictEqual(
      lookAt({ update_id: 1, callback_query: { id: "1", from: anna, data: "x", message } })?.kind,
      "callback"
    )
  })
})

describe("what a person sends", () => {
  it.each([
    [{ invoice: { title: "Tea", description: "Green", total_amount: 5 } }, "[invoice: Tea]"],
    [{ giveaway: { prize_description: "A kettle" } }, "[giveaway: A kettle]"],
    [{ giveaway_winners: { winners: [anna] } }, "[winners of a giveaway]"],
    [{ web_app_data: { button_text: "Order", data: "tea" } }, "[data of a web app: Order, tea]"],
    [{ users_shared: { users: [{ user_id: 1, first_name: "Bo" }, { user_id: 2 }] } }, "[shared contacts: Bo]"],
    [{ user_shared: { user_id: 1 } }, "[shared contacts]"],
    [{ chat_shared: { chat_id: 1, title: "Soups" } }, "[shared chat: Soups]"],
    [{ passport_data: { data: [{ type: "passport", data: "P123" }] } }, "[passport data]"],
    [{ audio: { title: "Tide", performer: "Bo", file_name: "a.mp3", duration: 9 } }, "[audio: Tide, Bo, 9 s]"],
    [{ audio: { file_name: "a.mp3" } }, "[audio: a.mp3]"],
    [{ audio: { duration: 9 } }, "[audio, 9 s]"]
  ])("is in words: %j", (content, words) => assert.strictEqual(read(content)?.text, words))

  it("never holds what a payment or a passport does", () => {
    const payment = { successful_payment: { telegram_payment_charge_id: "secret" } }
    const passport = { passport_data: { credentials: { secret: "secret" } } }
    for (const secret of [payment, passport]) {
      assert.notInclude(JSON.stringify(read(secret)), 'secret"')
      const quoted = read({ text: "this", reply_to_message: { from: anna, ...secret } })
      assert.notInclude(JSON.stringify(quoted), 'secret"')
    }
  })

  it("has the author of a story that is replied to", () =>
    assert.deepInclude(
      read({ text: "nice", reply_to_story: { chat: { id: 6, first_name: "Bo" }, id: 1 } })?.parts?.[0],
      {
        text: "[story]",
        author: "Bo"
      }
    ))

  it.each(["connected_website", "write_access_allowed", "pinned_message", "giveaway_created", "new_chat_title"])(
    "is not what Telegram tells of a chat: %s",
    (notice) => assert.isUndefined(read({ [notice]: "x" }))
  )
})
