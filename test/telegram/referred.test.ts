import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isAddressed, readMessages } from "#channels/telegram/readMessage.ts"
import { lookAt, readUpdate } from "#channels/telegram/Update.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const BOT = { userId: 7, username: "mara_bot" }
const anna = { id: 5, is_bot: false, first_name: "Anna" }
const bo = { id: 6, is_bot: false, first_name: "Bo" }
const mara = { id: 7, is_bot: true, first_name: "Mara" }
const chat = { id: 5, type: "private" }
const group = { id: -100, type: "supergroup", title: "Soups" }
const raw = (fields: object) => ({ update_id: 1, message: { message_id: 2, chat, from: anna, date: 1, ...fields } })
const read = (fields: object, heard?: ReadonlyMap<number, string>) => {
  const message = readUpdate(raw(fields))?.message
  return message === undefined ? undefined : readMessages([message], BOT, heard)
}
const earlier = (fields: object) => ({ message_id: 1, chat, date: 1, ...fields })
const from = (origin: object) => ({ date: 1, ...origin })

describe("a reply", () => {
  it("has the whole message that it replies to as a part, with its author", () => {
    assert.deepStrictEqual(
      read({
        text: "what did you mean by this?",
        reply_to_message: earlier({ from: mara, text: "The harbour is quiet." })
      }),
      {
        text: "what did you mean by this?",
        parts: [
          { type: "quote", text: "The harbour is quiet.", by: "character", author: "Mara" },
          { type: "text", text: "what did you mean by this?" }
        ]
      }
    )
  })
  it.each([
    ["the words that are marked", { quote: { text: "harbour", position: 4 } }, "harbour"],
    ["all of it if nothing is marked", { quote: { text: " ", position: 0 } }, "The harbour is quiet."]
  ])("quotes %s", (_, fields, words) => {
    const replied = earlier({ from: mara, text: "The harbour is quiet." })
    assert.strictEqual(read({ text: "why?", reply_to_message: replied, ...fields })?.parts?.[0]?.text, words)
  })
  it.each([
    ["somebody else", { from: bo }, "other", "Bo"],
    ["the person", { from: anna }, "user", "Anna"],
    ["the character", { from: mara }, "character", "Mara"],
    [
      "somebody whose message the person forwarded",
      { from: anna, forward_origin: from({ sender_user: bo }) },
      "other",
      "Bo"
    ],
    ["a channel", { from: bo, sender_chat: { id: -9, title: "News" } }, "other", "News"],
    ["an anonymous admin", { sender_chat: group, author_signature: "cook" }, "other", "cook"],
    ["nobody that Telegram names", {}, "other", undefined]
  ])("says that the words are of %s", (_, sender, by, author) => {
    const part = read({
      chat: group,
      text: "@mara_bot is that right?",
      reply_to_message: earlier({ ...sender, text: "No salt." })
    })?.parts?.[0]
    assert.deepStrictEqual([part?.type, part?.text, part?.by, part?.author], ["quote", "No salt.", by, author])
  })
  it.each([
    [{ photo: [{}], caption: "my cat" }, "[photo]\nmy cat"],
    [{ voice: { duration: 3 } }, "[voice message, 3 s]"],
    [{ sticker: { emoji: "😀" } }, "😀"],
    [{ poll: { question: "Soup?", options: [{ text: "Yes" }] } }, "[poll: Soup? Yes]"],
    [{ hologram: {} }, "[unsupported message]"]
  ])("says what a message without text was: %o", (content, words) => {
    assert.strictEqual(
      read({ text: "nice", reply_to_message: earlier({ from: bo, ...content }) })?.parts?.[0]?.text,
      words
    )
  })
  it("to a message of another chat quotes what Telegram sends of it", () => {
    const origin = from({ type: "channel", chat: { id: -9, type: "channel", title: "News" }, message_id: 3 })
    const quoteIn = (fields: object) => read({ text: "true?", ...fields })?.parts?.[0]
    assert.deepInclude(quoteIn({ external_reply: { origin }, quote: { text: "Rain all week.", position: 0 } }), {
      text: "Rain all week.",
      by: "other",
      author: "News"
    })
    assert.deepInclude(quoteIn({ external_reply: { origin, photo: [{}] } }), { text: "[photo]", author: "News" })
    assert.deepInclude(quoteIn({ external_reply: { origin } }), { text: "[message]", author: "News" })
    assert.deepInclude(quoteIn({ reply_to_story: { chat: { id: -9, title: "News" }, id: 1 } }), { text: "[story]" })
  })
  it.each([
    ["the beginning of a topic", { forum_topic_created: { name: "Soups" } }],
    ["something that happened in the chat", { new_chat_members: [bo] }]
  ])("to %s quotes nothing", (_, content) => {
    assert.deepStrictEqual(
      read({
        text: "hi",
        is_topic_message: true,
        message_thread_id: 1,
        reply_to_message: earlier({ from: bo, ...content })
      }),
      { text: "hi" }
    )
  })
  it("in a group that says only the name of the bot is a message, and says that name", () => {
    const reply = { chat: group, text: "@mara_bot", reply_to_message: earlier({ from: bo, text: "No salt." }) }
    assert.strictEqual(read(reply)?.text, "Anna: @mara_bot")
    assert.isNull(read({ chat: group, text: "@mara_bot" }))
  })
  it("is read without what it refers to if that has a form that is not known", () => {
    for (const odd of [
      { reply_to_message: 7 },
      { reply_to_message: { from: "Bo" } },
      { quote: [] },
      { external_reply: 1 }
    ])
      assert.deepStrictEqual(read({ text: "hi", ...odd }), { text: "hi" })
  })
  it("has a quotation of bounded length, on whole characters", () => {
    const long = "😀".repeat(2_000)
    const text = read({ text: "hm", reply_to_message: earlier({ from: bo, text: long }) })?.parts?.[0]?.text ?? ""
    assert.isTrue(text.isWellFormed() && text.startsWith("😀") && text.length <= 1_000, text)
  })
})

describe("a forwarded message", () => {
  it.each([
    ["a user", { type: "user", sender_user: bo }, "Bo"],
    ["a user who is hidden", { type: "hidden_user", sender_user_name: "Bo" }, "Bo"],
    ["a group", { type: "chat", sender_chat: { id: -7, type: "group", title: "Choir" } }, "Choir"],
    ["a channel", { type: "channel", chat: { id: -9, type: "channel", title: "News" }, message_id: 4 }, "News"],
    ["a name over two lines", { type: "hidden_user", sender_user_name: "Bo\nI live in Riga" }, "Bo I live in Riga"]
  ])("of %s has its words only in a part", (_, origin, author) => {
    const text = "I am allergic to nuts and I live in Riga."
    assert.deepStrictEqual(read({ text, forward_origin: from(origin) }), {
      text: `[forwarded from ${author}]`,
      parts: [{ type: "forward", text, by: "other", author }]
    })
  })
  it.each([
    ["a user", { forward_from: bo }, "Bo"],
    ["a user who is hidden", { forward_sender_name: "Bo" }, "Bo"],
    ["a channel", { forward_from_chat: { id: -9, type: "channel", title: "News" }, forward_signature: "Bo" }, "News"]
  ])("of %s in the fields of an older Bot API has its words only in a part", (_, origin, author) => {
    const text = "I am allergic to nuts and I live in Riga."
    const parts = [{ type: "forward", text, by: "other", author }] as const
    assert.deepStrictEqual(read({ text, forward_date: 1, ...origin }), { text: `[forwarded from ${author}]`, parts })
    assert.deepStrictEqual(
      read({ text: "true?", reply_to_message: earlier({ from: anna, text, forward_date: 1, ...origin }) })?.parts?.[0],
      { type: "quote", text, by: "other", author }
    )
  })
  it("of nobody who is named is only forwarded", () => {
    assert.strictEqual(read({ text: "Hello.", forward_date: 1 })?.text, "[forwarded]")
    for (const origin of [{}, { type: "a_type_of_the_future" }, { type: "hidden_user", sender_user_name: " " }])
      assert.deepStrictEqual(read({ text: "Hello.", forward_origin: from(origin) }), {
        text: "[forwarded]",
        parts: [{ type: "forward", text: "Hello.", by: "other" }]
      })
  })
  it("of the character says so, and one of one's own is text like any other", () => {
    assert.deepInclude(read({ text: "Come in.", forward_origin: from({ sender_user: mara }) })?.parts?.[0], {
      by: "character"
    })
    assert.deepStrictEqual(read({ text: "I love soup", forward_origin: from({ sender_user: anna }) }), {
      text: "I love soup"
    })
  })
  it("may be a picture, a poll or a voice message with its transcript", () => {
    const forward_origin = from({ type: "hidden_user", sender_user_name: "Bo" })
    const partIn = (fields: object) => read({ forward_origin, ...fields }, new Map([[2, "Is there soup?"]]))?.parts
    assert.deepStrictEqual(partIn({ voice: { duration: 3 } }), [
      { type: "forward", text: "[voice message, 3 s]", by: "other", author: "Bo", transcript: "Is there soup?" }
    ])
    assert.strictEqual(read({ forward_origin, photo: [{}], caption: "my cat" })?.parts?.[0]?.text, "[photo]\nmy cat")
    assert.strictEqual(read({ forward_origin, poll: { question: "Soup?" } })?.text, "[forwarded from Bo]")
  })
  it("comes after the words that were sent with it", () => {
    const messages = [
      { text: "look what he wrote" },
      { message_id: 3, text: "No salt.", forward_origin: from({ type: "user", sender_user: bo }) }
    ].flatMap((fields) => readUpdate(raw(fields))?.message ?? [])
    assert.strictEqual(readMessages(messages, BOT)?.text, "look what he wrote\n[forwarded from Bo]")
  })
  it("is no command, and addresses no bot that it names", () => {
    const forward_origin = { type: "user", sender_user: bo, date: 1 }
    assert.deepInclude(lookAt(raw({ text: "/start", forward_origin })), { kind: "text" })
    assert.deepInclude(lookAt(raw({ text: "/start", forward_from: bo, forward_date: 1 })), { kind: "text" })
    assert.deepInclude(lookAt(raw({ text: "/start" })), { kind: "command" })
    const inGroup = { message_id: 2, chat: group, from: anna, text: "hey @mara_bot" }
    assert.isTrue(isAddressed(inGroup, BOT))
    assert.isFalse(isAddressed({ ...inGroup, forward_origin }, BOT))
    assert.isTrue(isAddressed({ ...inGroup, chat, forward_origin }, BOT))
  })
})

/** No two alike, because a character does not repeat itself. */
const ANSWERS = ["The kettle is on.", "Tell him to call somebody.", "I oiled the hinges today.", "That took a while."]
const noted = (quote: string) => ({
  kind: "fact",
  subject: "user",
  text: `The person said: ${quote}`,
  importance: 5,
  confidence: 0.9,
  quote,
  happened_on: null,
  linked_ids: []
})

describe.each([
  ["rules", { OPENAI_ANALYZE: "off" }],
  ["a model", {}]
] as const)("through a bot, with memories by %s,", (_, env) => {
  let model: FakeModel
  let harness: TelegramHarness
  beforeAll(async () => {
    let replies = 0
    model = await start({
      otherwise: ({ question }) =>
        question === "reply" ? { kind: "ok", bubbles: [ANSWERS[replies++ % ANSWERS.length] ?? ""] } : { kind: "ok" },
      // Everything that was said, by anybody.
      reading: () => ({
        kind: "ok",
        fields: { memories: ["I have a dog called Rex", "I live in Riga", "No salt for me"].map(noted) }
      })
    })
    harness = await startTelegramHarness({ env: { OPENAI_BASE_URL: model.url, ...env } })
  })
  afterAll(async () => {
    await harness.close()
    await model.close()
  })

  const begin = async () => {
    const attached = await harness.attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, attached.bot)
    await saidAtLeast(harness, attached.bot, person, 1)
    const session = (await harness.chatsOf(attached.id))[0]?.session_id ?? ""
    let sent = 9_000
    /** Sends a message, and returns it with its answer and the prompt of the answer. */
    const send = async (content: object) => {
      const prompts = () => model.requests.filter(({ question }) => question === "reply")
      const before = prompts().length
      const message = {
        message_id: sent++,
        chat: { id: person.id, type: "private", first_name: "Anna" },
        from: person.user,
        date: 1,
        ...content
      }
      const answered = async () =>
        (await harness.app.events(session)).filter(
          ({ role, type }) => role === "character" && type === "message.created"
        )
      const count = (await answered()).length
      await harness.hand(attached, { message } as unknown as Parameters<typeof harness.hand>[1])
      const answer = await until("the answer", async () => {
        const answers = await answered()
        return answers.length > count && answers.at(-1)?.payload["text"]
      })
      const said = (await harness.app.events(session)).findLast(({ role }) => role === "user")?.payload
      const asked = prompts().at(before)?.messages ?? []
      const prompt = asked.map(({ content }) => content).join("\n")
      return { answer, said, prompt }
    }
    const memories = async () => {
      await until("all to be read", async () => {
        const [row] = await harness.server.database.sql<Array<{ left: number }>>`
          select count(*)::int as left from turns t where t.session_id = ${session} and t.turn_index > coalesce(
            (select read_turn from relationships r where r.session_id = t.session_id), 0)`
        return row?.left === 0
      })
      const { body } = await harness.app.get(`/v1/sessions/${session}/memories`)
      return (body.data.memories as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text)
    }
    return { ...attached, person, session, send, memories }
  }
  const bo = { type: "hidden_user", sender_user_name: "Bo", date: 1 }

  it("the character is given the quoted words apart from the person's own, also in later turns", async () => {
    const { bot, send } = await begin()
    const { said, prompt } = await send({
      text: "what did you mean by this?",
      reply_to_message: {
        message_id: 1,
        date: 1,
        from: { id: bot.id, is_bot: true, first_name: "Mara" },
        text: "The harbour is quiet tonight."
      },
      quote: { text: "harbour", position: 4 }
    })
    assert.strictEqual(said?.["text"], "what did you mean by this?")
    assert.deepInclude(said?.["parts"], { type: "quote", text: "harbour", by: "character", author: "Mara" })
    assert.include(prompt, '"refers_to":[{"how":"quoted","by":"character"')
    assert.include((await send({ text: "I see" })).prompt, '[quotes the character: "harbour"]')
  })

  it("forwarded words are neither remembered as the person's nor answered as if they were in danger", async () => {
    const { send, memories } = await begin()
    await send({ text: "I have a dog called Rex." })
    const facts = await send({ text: "I am allergic to nuts and I live in Riga.", forward_origin: bo })
    assert.include(facts.prompt, "allergic to nuts")
    const replied = {
      message_id: 1,
      date: 1,
      from: { id: 6, is_bot: false, first_name: "Bo" },
      text: "No salt for me."
    }
    await send({ text: "is he right?", reply_to_message: replied })
    const danger = await send({ text: "I want to kill myself tonight.", forward_origin: bo })
    assert.include(ANSWERS, danger.answer)
    assert.include(danger.prompt, '"safety":"soften"')
    const known = (await memories()).join("\n")
    assert.include(known, "Rex")
    assert.notMatch(known, /nuts|Riga|Bo\b|kill|salt/)
  })

  it("the character is given what somebody else said in a group", async () => {
    const { bot, id, person } = await begin()
    const group = harness.telegram.createGroup([person])
    harness.telegram.addBot(group, person, bot)
    const chat = { id: group.id, type: "group" as const, title: "Soups" }
    const replied = {
      message_id: 8_000,
      date: 1,
      chat,
      from: { id: 6, is_bot: false, first_name: "Bo" },
      text: "Soup needs no salt."
    }
    const message = { message_id: 9_000, date: 1, chat, from: person.user, text: `@${bot.username} is he right?` }
    const before = model.requests.length
    await harness.hand({ bot, id }, { message: { ...message, reply_to_message: replied } } as unknown as Parameters<
      typeof harness.hand
    >[1])
    const asked = await until("the prompt", () =>
      model.requests.slice(before).find(({ question }) => question === "reply")
    )
    const prompt = asked.messages.map(({ content }) => content).join("\n")
    assert.include(prompt, '"text":"Anna: is he right?","refers_to":[{"how":"quoted","by":"somebody_else","name":"Bo"')
    assert.include(prompt, "Soup needs no salt.")
  })

  it("a forwarded command is something that was said", async () => {
    const { send } = await begin()
    const { said } = await send({ text: "/forget", forward_origin: bo })
    assert.strictEqual(said?.["text"], "[forwarded from Bo]")
  })
})
