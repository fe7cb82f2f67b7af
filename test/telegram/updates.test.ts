import { assert, describe, it } from "vitest"
import { isAddressed, readCommand, readMessages, readPress } from "#channels/telegram/readMessage.ts"
import { lookAt, type Message, readUpdate, threadOf } from "#channels/telegram/Update.ts"

const BOT = { userId: 7, username: "mara_bot" }
const anna = { id: 5, is_bot: false, first_name: "Anna" }
const chat = { id: 5, type: "private" }
const group = { id: -100, type: "supergroup" }
const message = (fields: object): Message => ({ message_id: 1, chat, from: anna, ...fields })
const look = (fields: object) => lookAt({ update_id: 9, message: message(fields) })

describe("the classification of an update", () => {
  it("distinguishes a person's message from a command, a service message and anything else", () => {
    assert.deepInclude(look({ text: "hi" }), { updateId: 9, kind: "text", chatId: 5, threadId: 0, senderId: 5 })
    for (const text of ["/start x", "/start", "/help@mara_bot\nplease"])
      assert.deepInclude(look({ text }), { kind: "command" }, text)
    for (const text of ["/привет", "/ 2", "/ok.", "/", "//"]) assert.deepInclude(look({ text }), { kind: "text" }, text)
    assert.deepInclude(look({ photo: [{}], media_group_id: "a1" }), { kind: "text", album: "a1" })
    assert.deepInclude(look({ migrate_to_chat_id: -1001 }), { kind: "service" })
    assert.deepInclude(look({ text: "hi", from: { ...anna, is_bot: true } }), { kind: "other" })
    assert.deepInclude(look({ text: "hi", sender_chat: { id: -1 } }), { kind: "other" })
    const anonymous = { chat: group, from: { ...anna, is_bot: true }, text: "hi" }
    assert.deepInclude(look({ ...anonymous, sender_chat: group }), { kind: "text", senderId: -100 })
    assert.deepInclude(look({ ...anonymous, sender_chat: { id: -9, title: "News" } }), { kind: "text", senderId: -9 })
    const repeated = { ...anonymous, sender_chat: { id: -9 }, is_automatic_forward: true }
    assert.deepInclude(look(repeated), { kind: "other" })
    assert.deepInclude(lookAt({ update_id: 3, edited_message: message({ text: "hm" }) }), {
      kind: "edit",
      updateId: 3,
      chatId: 5,
      senderId: 5
    })
    assert.deepInclude(lookAt({ update_id: 3, edited_message: message({ location: { latitude: 1, longitude: 2 } }) }), {
      kind: "other"
    })
    for (const kind of [
      "channel_post",
      "edited_channel_post",
      "message_reaction",
      "poll",
      "chat_join_request",
      "business_message",
      "guest_message"
    ]) {
      assert.deepInclude(
        lookAt({ update_id: 3, [kind]: { chat, message_id: 1 } }),
        { kind: "other", updateId: 3 },
        kind
      )
    }
    assert.deepInclude(lookAt({ update_id: 3, stopped_message_generation: { chat, message_id: 1 } }), {
      kind: "stop",
      updateId: 3,
      chatId: 5,
      threadId: 0
    })
    assert.deepInclude(lookAt({ update_id: 3, something_new: {} }), { kind: "other", updateId: 3 })
    assert.deepInclude(lookAt({ update_id: 3, message: { strange: true } }), { kind: "other", updateId: 3 })
    for (const odd of [undefined, null, 1, "x", [], {}, { update_id: "1" }, { update_id: 1.5 }])
      assert.isUndefined(lookAt(odd))
  })

  it("treats a topic as a separate chat, but not a plain reply to a reply", () => {
    assert.strictEqual(threadOf(message({ message_thread_id: 4, is_topic_message: true })), 4)
    assert.strictEqual(threadOf(message({ message_thread_id: 4 })), 0)
  })
})

describe("the text of a turn", () => {
  it.each([
    [{ text: "  hello  " }, "hello"],
    [{ photo: [{}], caption: "my cat" }, "[photo]\nmy cat"],
    [{ voice: { duration: 12 } }, "[voice message, 12 s]"],
    [{ sticker: { emoji: "😀" } }, "😀"],
    [{ document: { file_name: "list.pdf" } }, "[file: list.pdf]"],
    [{ location: { latitude: 52.5, longitude: 13.4 } }, "[location: 52.5, 13.4]"],
    [{ contact: { first_name: "Bea" } }, "[contact: Bea]"],
    [{ contact: { first_name: "Bea", last_name: "Lund" } }, "[contact: Bea Lund]"],
    [{ dice: { emoji: "🎲", value: 4 } }, "🎲 4"],
    [
      {
        location: { latitude: 1.5, longitude: 2 },
        venue: { title: "Café Luna", address: "", location: { latitude: 1.5, longitude: 2 } }
      },
      "[venue: Café Luna, 1.5, 2]"
    ],
    [{ poll: { question: "Soup?", options: [{ text: "Yes" }, { text: "No" }] } }, "[poll: Soup? Yes / No]"],
    [
      {
        checklist: {
          title: "Picnic",
          tasks: [
            { id: 1, text: "bread" },
            { id: 2, text: "cheese" }
          ]
        }
      },
      "[checklist: Picnic bread / cheese]"
    ],
    [{ story: { chat, id: 3 } }, "[story]"],
    [{ paid_media: { star_count: 5, paid_media: [] }, caption: "look" }, "[paid media]\nlook"],
    [{ game: { title: "Snake" } }, "[game: Snake]"],
    [{ gift: { gift: { id: "1" } } }, "[gift]"],
    [{ text: "a\u0000b\ud800c\u0007" }, "ab\ufffdc"]
  ])("describes parts other than text in plain words: %o", (fields, text) => {
    assert.strictEqual(readMessages([message(fields)], BOT)?.text, text)
  })
  const read = (fields: object) => {
    const said = readUpdate({ update_id: 1, message: message(fields) })?.message
    return said === undefined ? undefined : readMessages([said], BOT)
  }
  it("names content of a kind that is not known, and its words", () => {
    assert.deepStrictEqual(read({ hologram: { rays: 7 } }), {
      text: "[unsupported message]",
      parts: [{ type: "unsupported", text: "[unsupported message]", kind: "hologram" }]
    })
    assert.strictEqual(read({ hologram: {}, caption: "my cat" })?.text, "[unsupported message]\nmy cat")
  })
  it.each([
    { pinned_message: { message_id: 1 } },
    { new_chat_members: [anna] },
    { video_chat_started: {} },
    { boost_added: { boost_count: 1 }, date: 5 },
    { date: 5, is_from_offline: true, has_protected_content: true }
  ])("is empty if it says what happened in the chat, or nothing: %o", (fields) => {
    assert.isNull(read(fields))
  })
  it("names no unknown content beside content that is known", () => {
    assert.deepStrictEqual(read({ text: "hi", hologram: {} }), { text: "hi" })
    assert.strictEqual(read({ photo: [{}], hologram: {} })?.text, "[photo]")
  })
  it("consists of typed parts if it is more than text, with the transcript of a voice message", () => {
    const messages = [
      message({ message_id: 1, text: "Listen:" }),
      message({ message_id: 2, voice: { duration: 7 } }),
      message({ message_id: 3, photo: [{}], caption: "my cat" })
    ]
    assert.deepStrictEqual(readMessages(messages, BOT, new Map([[2, "Is there\u0000 soup?"]])), {
      text: "Listen:\n[voice message, 7 s]\nIs there soup?\n[photo]\nmy cat",
      parts: [
        { type: "text", text: "Listen:" },
        { type: "voice", text: "[voice message, 7 s]", transcript: "Is there soup?" },
        { type: "photo", text: "[photo]" },
        { type: "text", text: "my cat" }
      ]
    })
    assert.deepStrictEqual(readMessages([message({ text: "only words" })], BOT), { text: "only words" })
  })
  it("joins messages in quick succession, and is empty if nothing was said", () => {
    assert.strictEqual(
      readMessages([message({ text: "one" }), message({ photo: [{}] }), message({ text: "two" })], BOT)?.text,
      "one\n[photo]\ntwo"
    )
    assert.isNull(readMessages([message({})], BOT))
    assert.isNull(readMessages([message({ text: "@mara_bot" })], BOT))
  })
  it("is shortened between characters, never inside one", () => {
    const long = `a${"😀".repeat(60)}`
    for (const fields of [
      { chat: group, from: { ...anna, first_name: long }, text: "@mara_bot hey" },
      { document: { file_name: long } },
      { contact: { first_name: long } }
    ]) {
      const text = readMessages([message(fields)], BOT)?.text ?? ""
      assert.isTrue(text.isWellFormed() && text.includes("😀"), text)
    }
  })
  it("names an anonymous admin by the title or the group, and a channel by its name", () => {
    const bot = { ...anna, is_bot: true, first_name: "Group" }
    const said = { chat: group, from: bot, text: "@mara_bot hey" }
    const soups = { ...group, title: "Soups" }
    for (const [fields, text] of [
      [{ ...said, sender_chat: soups, author_signature: "cook" }, "cook: hey"],
      [{ ...said, sender_chat: soups }, "Soups: hey"],
      [{ ...said, sender_chat: { id: -9, title: "News" } }, "News: hey"]
    ] as const)
      assert.strictEqual(readMessages([message(fields)], BOT)?.text, text)
  })
  it("names the speaker in a group, but not the addressed bot", () => {
    assert.strictEqual(
      readMessages([message({ chat: group, text: "@Mara_Bot, are you there?" })], BOT)?.text,
      "Anna: are you there?"
    )
  })
})

describe("a message in a group", () => {
  it("is for the bot if it names it or replies to it", () => {
    assert.isTrue(isAddressed(message({ chat: group, text: "hey @mara_bot" }), BOT))
    assert.isTrue(isAddressed(message({ chat: group, text: "yes", reply_to_message: { from: { id: 7 } } }), BOT))
    assert.isFalse(isAddressed(message({ chat: group, text: "yes", reply_to_message: { from: { id: 8 } } }), BOT))
    assert.isFalse(isAddressed(message({ chat: group, text: "hey @mara_bott" }), BOT))
    assert.isFalse(isAddressed(message({ chat: group, text: "mara?" }), BOT))
    assert.isTrue(isAddressed(message({ text: "anything" }), BOT))
  })
})

describe("a press of a button", () => {
  const callback = (data: string | undefined) => ({
    id: "1",
    from: anna,
    ...(data !== undefined && { data }),
    message: {
      ...message({}),
      reply_markup: {
        inline_keyboard: [[{ text: "Soup", callback_data: "s" }], [{ text: "Bread", callback_data: "b" }]]
      }
    }
  })
  it("says what is written on it, or nothing if that is unknown", () => {
    assert.strictEqual(readPress(callback("b")), "Bread")
    for (const data of ["x", undefined]) assert.isUndefined(readPress(callback(data)))
    assert.isUndefined(readPress({ id: "1", from: anna, data: "s" }))
  })
})

describe("a command", () => {
  it("has a name and an argument, and may be for another bot", () => {
    assert.deepStrictEqual(readCommand(message({ text: "/start abc_-1" }), BOT), {
      name: "start",
      argument: "abc_-1",
      named: false
    })
    assert.deepStrictEqual(readCommand(message({ text: "/Help@MARA_bot" }), BOT), {
      name: "help",
      argument: "",
      named: true
    })
    assert.isNull(readCommand(message({ text: "/help@other_bot" }), BOT))
    assert.isNull(readCommand(message({ text: "/" }), BOT))
  })
})

it("an update with unknown fields is read anyway", () => {
  assert.strictEqual(
    readUpdate({ update_id: 1, extra: 1, message: { ...message({ text: "x" }), extra: { deep: [] } } })?.message?.text,
    "x"
  )
})
