import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { rawCall, startWithMia } from "./harness.ts"

let fake: Awaited<ReturnType<typeof startWithMia>>
beforeEach(async () => {
  fake = await startWithMia()
})
afterEach(() => fake.telegram.close())

const texts = () => fake.telegram.transcript(fake.bot, fake.mia).map(({ text }) => text)

describe("a private chat", () => {
  it("does not exist before the person has started the bot", async () => {
    const { mia, refusal, telegram } = fake
    const leo = telegram.createUser()
    assert.strictEqual(await refusal("sendMessage", { chat_id: leo.id, text: "hi" }), "400 Bad Request: chat not found")
    telegram.createGroup([mia, leo])
    assert.strictEqual(await refusal("sendMessage", { text: "hi" }), "400 Bad Request: chat_id is empty")
  })

  it("cannot be started by a bot that has met the person in a group", async () => {
    const { bot, refusal, telegram } = fake
    const leo = telegram.createUser()
    telegram.addBot(telegram.createGroup([leo]), leo, bot)
    assert.strictEqual(
      await refusal("sendMessage", { chat_id: leo.id, text: "hi" }),
      "403 Forbidden: bot can't initiate conversation with a user"
    )
  })

  it("shows both sides, with message ids that count up over all chats of the bot", async () => {
    const { bot, mia, result, telegram } = fake
    const [asked] = telegram.transcript(bot, mia)
    telegram.start(telegram.createUser(), bot)
    const answered = await result("sendMessage", {
      chat_id: mia.id,
      text: "Hello Mia",
      reply_parameters: { message_id: asked?.message_id }
    })
    assert.deepStrictEqual(texts(), ["/start", "Hello Mia"])
    assert.strictEqual(answered.message_id, (asked?.message_id ?? 0) + 2)
    assert.strictEqual(answered.reply_to_message?.text, "/start")
  })

  it("is closed to a blocked bot until the person unblocks it", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    telegram.block(mia, bot)
    for (const method of ["sendMessage", "sendChatAction", "sendMessageDraft"] as const) {
      assert.strictEqual(
        await refusal(method, { chat_id: mia.id, text: "hi", action: "typing", draft_id: 1 }),
        "403 Forbidden: bot was blocked by the user"
      )
    }
    telegram.start(mia, bot, "back")
    assert.strictEqual((await result("sendMessage", { chat_id: mia.id, text: "hi" })).text, "hi")
    assert.deepStrictEqual(
      telegram
        .pendingUpdates(bot)
        .map((update) => update.my_chat_member?.new_chat_member.status ?? update.message?.text),
      ["/start", "kicked", "member", "/start back"]
    )
  })

  it("is closed when the person's account is deleted", async () => {
    const { mia, refusal, telegram } = fake
    telegram.deactivate(mia)
    assert.strictEqual(
      await refusal("sendMessage", { chat_id: mia.id, text: "hi" }),
      "403 Forbidden: user is deactivated"
    )
  })

  it("does not let a bot write to another bot", async () => {
    const { refusal, telegram } = fake
    assert.strictEqual(
      await refusal("sendMessage", { chat_id: telegram.createBot().id, text: "hi" }),
      "403 Forbidden: bots can't send messages to bots"
    )
  })

  it("lets a suspended bot read but not write", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    telegram.freeze(bot)
    assert.strictEqual(
      await refusal("sendMessage", { chat_id: mia.id, text: "hi" }),
      "400 Bad Request: FROZEN_METHOD_INVALID"
    )
    assert.strictEqual((await result("getMe")).id, bot.id)
  })
})

describe("a text", () => {
  const send = (parameters: Record<string, unknown>) => ({ chat_id: fake.mia.id, ...parameters })

  it("has up to 4096 UTF-16 units after parsing", async () => {
    const { refusal, result } = fake
    assert.strictEqual((await result("sendMessage", send({ text: "🌱".repeat(2_048) }))).text.length, 4_096)
    assert.strictEqual(
      (await result("sendMessage", send({ text: `<b>${"a".repeat(4_096)}</b>`, parse_mode: "HTML" }))).text.length,
      4_096
    )
    assert.strictEqual(
      await refusal("sendMessage", send({ text: `${"🌱".repeat(2_048)}a` })),
      "400 Bad Request: message is too long"
    )
  })

  it("must not be empty", async () => {
    assert.strictEqual(await fake.refusal("sendMessage", send({})), "400 Bad Request: message text is empty")
    assert.strictEqual(
      await fake.refusal("sendMessage", send({ text: " \n " })),
      "400 Bad Request: text must be non-empty"
    )
  })

  it("is trimmed, and its entities move with it", async () => {
    const sent = await fake.result(
      "sendMessage",
      send({ text: "\n bold\n", entities: [{ type: "bold", offset: 2, length: 4 }] })
    )
    assert.deepStrictEqual([sent.text, sent.entities], ["bold", [{ type: "bold", offset: 0, length: 4 }]])
  })

  it("has entities within its bounds that split no symbol", async () => {
    const { refusal } = fake
    const entities = (offset: number, length: number) =>
      send({ text: "🌱 a", entities: [{ type: "bold", offset, length }] })
    assert.match(
      await refusal("sendMessage", entities(3, 2)),
      /^400 Bad Request: entity beginning at UTF-16 offset 3 ends after the end of the text/
    )
    assert.match(
      await refusal("sendMessage", entities(1, 1)),
      /^400 Bad Request: entity begins in a middle of a UTF-16 symbol/
    )
    assert.match(
      await refusal("sendMessage", entities(0, 1)),
      /^400 Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol/
    )
  })

  it("is parsed in the requested mode", async () => {
    const marked = [
      ["HTML", '<b>bold &lt;<i>both</i></b> <a href="https://a.test/">link</a>'],
      ["MarkdownV2", "*bold <_both_* [link](https://a.test/)"]
    ]
    for (const [parse_mode, text] of marked) {
      const sent = await fake.result("sendMessage", send({ text, parse_mode }))
      assert.strictEqual(sent.text, "bold <both link")
      assert.deepStrictEqual(
        sent.entities?.map(({ length, offset, type }) => [type, offset, length]),
        [
          ["bold", 0, 10],
          ["italic", 6, 4],
          ["text_link", 11, 4]
        ]
      )
    }
  })

  it("that cannot be parsed is refused with Telegram's description", async () => {
    const cases = [
      ["HTML", "<b>bold", 'Can\'t find end tag corresponding to start tag "b"'],
      ["HTML", "é<script>", 'Unsupported start tag "script" at byte offset 2'],
      ["HTML", "<b>bold</i>", 'Unmatched end tag at byte offset 7, expected "</b>", found "</i>"'],
      ["MarkdownV2", "1. one", "Character '.' is reserved and must be escaped with the preceding '\\'"],
      ["MarkdownV2", "a *bold", "Can't find end of Bold entity at byte offset 2"],
      ["Markdown", "a *bold", "Can't find end of the entity starting at byte offset 2"]
    ]
    for (const [parse_mode, text, words] of cases) {
      assert.strictEqual(
        await fake.refusal("sendMessage", send({ text, parse_mode })),
        `400 Bad Request: can't parse entities: ${words}`
      )
    }
    assert.strictEqual(
      await fake.refusal("sendMessage", send({ text: "a", parse_mode: "BBCode" })),
      "400 Bad Request: unsupported parse_mode"
    )
  })

  it("gets the entities that Telegram finds by itself", async () => {
    const sent = await fake.result("sendMessage", send({ text: "/help @ada_bot #tag https://a.test/b." }))
    assert.deepStrictEqual(
      sent.entities?.map(({ length, type }) => [type, length]),
      [
        ["bot_command", 5],
        ["mention", 8],
        ["hashtag", 4],
        ["url", 16]
      ]
    )
  })

  it("can only answer an existing message", async () => {
    const missing = { text: "hi", reply_parameters: { message_id: 999 } }
    assert.strictEqual(
      await fake.refusal("sendMessage", send(missing)),
      "400 Bad Request: message to be replied not found"
    )
    await fake.result(
      "sendMessage",
      send({ text: "hi", reply_parameters: { message_id: 999, allow_sending_without_reply: true } })
    )
    assert.strictEqual(
      await fake.refusal("sendMessage", send({ text: "hi", reply_parameters: { message_id: 1, quote: "no" } })),
      "400 Bad Request: QUOTE_TEXT_INVALID"
    )
    assert.strictEqual(
      await fake.refusal("sendMessage", send({ text: "hi", message_thread_id: 5 })),
      "400 Bad Request: message thread not found"
    )
  })

  it("cannot have a button with too much data", async () => {
    const keyboard = (data: string) =>
      send({ text: "hi", reply_markup: { inline_keyboard: [[{ text: "A", callback_data: data }]] } })
    await fake.result("sendMessage", keyboard("a".repeat(64)))
    assert.strictEqual(
      await fake.refusal("sendMessage", keyboard("a".repeat(65))),
      "400 Bad Request: BUTTON_DATA_INVALID"
    )
  })
})

describe("a sent message", () => {
  it("can be edited, but not into itself", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    const { message_id } = await result("sendMessage", { chat_id: mia.id, text: "one" })
    const edited = await result("editMessageText", { chat_id: mia.id, message_id, text: "two" })
    assert.isObject(edited)
    assert.deepStrictEqual(texts(), ["/start", "two"])
    assert.match(
      await refusal("editMessageText", { chat_id: mia.id, message_id, text: "two" }),
      /^400 Bad Request: message is not modified: specified new message content/
    )
    assert.strictEqual(
      await refusal("editMessageText", { chat_id: mia.id, message_id: 999, text: "two" }),
      "400 Bad Request: message to edit not found"
    )
    const [asked] = telegram.transcript(bot, mia)
    assert.strictEqual(
      await refusal("editMessageText", { chat_id: mia.id, message_id: asked?.message_id, text: "two" }),
      "400 Bad Request: message can't be edited"
    )
  })

  it("can be deleted once", async () => {
    const { mia, refusal, result } = fake
    const { message_id } = await result("sendMessage", { chat_id: mia.id, text: "one" })
    assert.isTrue(await result("deleteMessage", { chat_id: mia.id, message_id }))
    assert.strictEqual(
      await refusal("deleteMessage", { chat_id: mia.id, message_id }),
      "400 Bad Request: message to delete not found"
    )
    assert.isTrue(await result("deleteMessages", { chat_id: mia.id, message_ids: [1, message_id] }))
    assert.deepStrictEqual(texts(), [])
  })

  it("accepts one reaction of a bot", async () => {
    const { mia, refusal, result } = fake
    const reaction = [{ type: "emoji", emoji: "👍" }]
    assert.isTrue(await result("setMessageReaction", { chat_id: mia.id, message_id: 1, reaction }))
    assert.strictEqual(
      await refusal("setMessageReaction", { chat_id: mia.id, message_id: 1, reaction: [...reaction, ...reaction] }),
      "400 Bad Request: REACTIONS_TOO_MANY"
    )
    assert.strictEqual(
      await refusal("setMessageReaction", { chat_id: mia.id, message_id: 99, reaction }),
      "400 Bad Request: message to react not found"
    )
  })

  it("has buttons that can be pressed, and answered within 150 s", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    const message = await result("sendMessage", {
      chat_id: mia.id,
      text: "hi",
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "y" }]] }
    })
    const id = telegram.press(mia, bot, message, "Yes")
    const query = telegram.pendingUpdates(bot).at(-1)?.callback_query
    assert.deepStrictEqual([query?.id, query?.data, query?.message?.message_id], [id, "y", message.message_id])
    assert.isTrue(await result("answerCallbackQuery", { callback_query_id: id, text: "thanks" }))
    assert.deepStrictEqual(telegram.callbackAnswer(id), { text: "thanks", showAlert: false })
    telegram.advance(151_000)
    assert.strictEqual(
      await refusal("answerCallbackQuery", { callback_query_id: id }),
      "400 Bad Request: query is too old and response timeout expired or query ID is invalid"
    )
    assert.isUndefined(telegram.pendingUpdates(bot).find((update) => update.callback_query))
  })
})

describe("a payment", () => {
  it("asks before it is made, and accepts one answer within ten seconds, from the bot that was asked", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    const id = telegram.pay(mia, bot, { amount: 50, payload: "order-7" })
    assert.deepInclude(telegram.pendingUpdates(bot).at(-1)?.pre_checkout_query, {
      id,
      currency: "XTR",
      total_amount: 50,
      invoice_payload: "order-7"
    })
    assert.isTrue(await result("answerPreCheckoutQuery", { pre_checkout_query_id: id, ok: true }))
    assert.deepStrictEqual(telegram.preCheckoutAnswer(id), { ok: true, errorMessage: "" })
    const tooOld = "400 Bad Request: query is too old and response timeout expired or query ID is invalid"
    assert.strictEqual(await refusal("answerPreCheckoutQuery", { pre_checkout_query_id: id, ok: true }), tooOld)
    const late = telegram.pay(mia, bot, { amount: 1, payload: "order-8" })
    telegram.advance(11_000)
    assert.strictEqual(
      await refusal("answerPreCheckoutQuery", { pre_checkout_query_id: late, ok: false, error_message: "Sold out." }),
      tooOld
    )
    telegram.advance(140_000)
    assert.isUndefined(telegram.pendingUpdates(bot).find((update) => update.pre_checkout_query))
  })
})

describe("a rich message", () => {
  it("has up to 32768 characters and blocks", async () => {
    const { mia, refusal, result } = fake
    const sent = await result("sendRichMessage", { chat_id: mia.id, rich_message: { html: "<b>rich</b>" } })
    assert.deepStrictEqual(sent.rich_message.blocks, [{ type: "paragraph", text: "rich" }])
    assert.strictEqual(
      await refusal("sendRichMessage", { chat_id: mia.id, rich_message: { markdown: "a".repeat(32_769) } }),
      "400 Bad Request: message is too long"
    )
    assert.strictEqual(await refusal("sendRichMessage", { chat_id: mia.id }), "400 Bad Request: rich message is empty")
    assert.isTrue(
      await result("sendRichMessageDraft", { chat_id: mia.id, draft_id: 1, rich_message: { markdown: "ri" } })
    )
  })
})

describe("topics in a private chat", () => {
  it("exist if the bot has them", async () => {
    const { mia, refusal, telegram } = fake
    assert.strictEqual(
      await refusal("createForumTopic", { chat_id: mia.id, name: "Roses" }),
      "400 Bad Request: the chat is not a forum"
    )
    const bot = telegram.createBot({ has_topics_enabled: true })
    telegram.start(mia, bot)
    const made = await rawCall(telegram, bot.token, "createForumTopic", { chat_id: mia.id, name: "Roses" })
    const { message_thread_id: thread } = (made.body.ok ? made.body.result : {}) as {
      readonly message_thread_id: number
    }
    telegram.say(mia, bot, "in the topic", { thread })
    assert.deepInclude(telegram.pendingUpdates(bot).at(-1)?.message, {
      message_thread_id: thread,
      is_topic_message: true
    })
  })
})

describe("the profile of a bot", () => {
  it("has every flag of getMe", async () => {
    const { bot, result } = fake
    assert.deepStrictEqual(await result("getMe"), {
      id: bot.id,
      is_bot: true,
      first_name: "Ada",
      username: "ada_bot",
      can_join_groups: true,
      can_read_all_group_messages: false,
      supports_guest_queries: false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
      can_manage_bots: false,
      supports_join_request_queries: false
    })
  })
})

describe("what people see while a bot works", () => {
  it("is its action for 5 s, or until it sends something", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    await result("sendChatAction", { chat_id: mia.id, action: "typing" })
    assert.strictEqual(telegram.activity(bot, mia), "typing")
    telegram.advance(5_000)
    assert.isUndefined(telegram.activity(bot, mia))
    await result("sendChatAction", { chat_id: mia.id, action: "typing" })
    await result("sendMessage", { chat_id: mia.id, text: "hi" })
    assert.isUndefined(telegram.activity(bot, mia))
    assert.strictEqual(
      await refusal("sendChatAction", { chat_id: mia.id, action: "sleeping" }),
      "400 Bad Request: wrong parameter action in request"
    )
  })

  it("is a draft until the message arrives or the person presses Stop", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    const draft = (text: string) => result("sendMessageDraft", { chat_id: mia.id, draft_id: 7, text, can_stop: true })
    await draft("")
    await draft("Hel")
    assert.deepStrictEqual(telegram.draft(bot, mia), { id: 7, text: "Hel" })
    await result("sendMessage", { chat_id: mia.id, text: "Hello" })
    assert.isUndefined(telegram.draft(bot, mia))
    await draft("And")
    telegram.stopGeneration(mia, bot)
    assert.strictEqual(telegram.pendingUpdates(bot).at(-1)?.stopped_message_generation?.draft_id, 7)
    assert.strictEqual(
      await refusal("sendMessageDraft", { chat_id: mia.id, draft_id: 0, text: "x" }),
      "400 Bad Request: draft_id must be non-zero"
    )
  })
})

describe("a file", () => {
  it("has an id that works for one bot only", async () => {
    const { bot, mia, refusal, result, telegram } = fake
    telegram.sendMedia(mia, bot, "voice", { bytes: Buffer.from("ogg"), duration: 3 })
    const voice = telegram.pendingUpdates(bot).at(-1)?.message?.voice
    assert.strictEqual(voice?.duration, 3)
    assert.strictEqual((await result("getFile", { file_id: voice?.file_id })).file_size, 3)
    await result("sendVoice", { chat_id: mia.id, voice: voice?.file_id })
    const other = telegram.createBot()
    telegram.start(mia, other)
    const sent = await fetch(`${telegram.url}/bot${other.token}/sendVoice?chat_id=${mia.id}&voice=${voice?.file_id}`)
    assert.include(await sent.text(), "Bad Request: wrong file identifier/HTTP URL specified")
    assert.strictEqual(await refusal("getFile", { file_id: "nonsense" }), "400 Bad Request: invalid file_id")
  })

  it("over 20 MB cannot be downloaded", async () => {
    const { bot, mia, refusal, telegram } = fake
    telegram.sendMedia(mia, bot, "video", { size: 21 * 1_048_576 })
    assert.strictEqual(
      await refusal("getFile", { file_id: telegram.pendingUpdates(bot).at(-1)?.message?.video?.file_id }),
      "400 Bad Request: file is too big"
    )
  })

  it("may have a caption of 1024 units", async () => {
    const { mia, refusal } = fake
    assert.strictEqual(
      await refusal("sendPhoto", { chat_id: mia.id, photo: "https://a.test/p.jpg", caption: "a".repeat(1_025) }),
      "400 Bad Request: message caption is too long"
    )
    assert.strictEqual(
      await refusal("sendPhoto", { chat_id: mia.id }),
      "400 Bad Request: there is no photo in the request"
    )
  })

  it("can be part of an album", async () => {
    const { mia, refusal, result } = fake
    const media = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: "photo", media: `https://a.test/${index}.jpg` }))
    const sent = await result("sendMediaGroup", { chat_id: mia.id, media: media(3) })
    assert.lengthOf(sent, 3)
    assert.lengthOf(
      new Set(sent.map((message) => ("media_group_id" in message ? message.media_group_id : undefined))),
      1
    )
    assert.strictEqual(
      await refusal("sendMediaGroup", { chat_id: mia.id, media: media(11) }),
      "400 Bad Request: too many messages to send as an album"
    )
  })
})
