import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const started = async () => {
  const attached = await harness.attach({})
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, attached.bot)
  await saidAtLeast(harness, attached.bot, person, 1)
  const [chat] = await harness.chatsOf(attached.id)
  const from = { chat: { id: person.id, type: "private" as const, first_name: "Anna" }, from: person.user, date: 1 }
  return { ...attached, person, session: chat?.session_id ?? "", from }
}
const saidIn = async (session: string) =>
  (await harness.app.events(session)).filter(({ role, type }) => role === "user" && type === "message.created")
const answersIn = async (session: string) =>
  (await harness.app.events(session)).filter(({ role, type }) => role === "character" && type === "message.created")

describe("what a person sends to a bot", () => {
  it("is on the log in words and is answered, whatever it is", async () => {
    const attached = await started()
    const { session, from } = attached
    const contents = [
      [{ dice: { emoji: "🎯", value: 6 } }, "🎯 6"],
      [{ story: { chat: from.chat, id: 1 } }, "[story]"],
      [{ checklist: { title: "Trip", tasks: [{ id: 1, text: "tent" }] } }, "[checklist: Trip tent]"],
      [{ paid_media: { star_count: 1, paid_media: [] } }, "[paid media]"],
      [{ venue: { title: "Pier 4", address: "Quay 1", location: { latitude: 1, longitude: 2 } } }, "Pier 4"],
      [{ a_kind_of_the_future: { id: 1 } }, "[unsupported message]"]
    ] as const
    for (const [index, [content, words]] of contents.entries()) {
      const message = { message_id: 9000 + index, ...from, ...content }
      await harness.hand(attached, { message } as unknown as Parameters<typeof harness.hand>[1])
      await until("its answer", async () => (await answersIn(session)).length === index + 1)
      assert.include((await saidIn(session)).at(-1)?.payload["text"], words)
    }
    assert.lengthOf(await saidIn(session), contents.length)
  })
})

describe("an edit of a message", () => {
  it("that leaves the text as it is adds nothing to the log", async () => {
    const attached = await started()
    const { bot, person, session } = attached
    const message = harness.telegram.say(person, bot, "I live in Bremen")
    await until("the answer", async () => (await answersIn(session)).length === 1)
    const edits = async () => (await harness.app.events(session)).filter(({ type }) => type === "message.edited")
    harness.telegram.edit(person, bot, message, "I live in Bremen")
    harness.telegram.edit(person, bot, message, "I live in Bergen")
    await until("the edit", async () => (await edits()).length > 0)
    harness.telegram.edit(person, bot, message, "I live in Bergen")
    harness.telegram.edit(person, bot, message, "I live in Bremen")
    await until("the edit back", async () => (await edits()).length > 1)
    assert.deepStrictEqual(
      (await edits()).map(({ payload }) => payload["text"]),
      ["I live in Bergen", "I live in Bremen"]
    )
  })
})

describe("a group", () => {
  it.each([
    ["an anonymous admin", true],
    ["a channel", false]
  ])("has a message of %s answered", async (_, isAdmin) => {
    const attached = await started()
    const { bot, person, id } = attached
    const group = harness.telegram.createGroup([person])
    harness.telegram.addBot(group, person, bot)
    const chat = { id: group.id, type: "group" as const, title: "Soups" }
    const message = {
      message_id: 9000,
      chat,
      date: 1,
      from: { id: isAdmin ? 1_087_968_824 : 136_817_688, is_bot: true, first_name: isAdmin ? "Group" : "Channel" },
      sender_chat: isAdmin ? chat : { id: -1_009_999, type: "channel", title: "News" },
      text: `@${bot.username} what is for dinner?`
    }
    await harness.hand(attached, { message } as unknown as Parameters<typeof harness.hand>[1])
    const { session_id } = await until("the chat", async () =>
      (await harness.chatsOf(id)).find(({ chat_id }) => chat_id === group.id)
    )
    await until("the answer", async () => (await answersIn(session_id ?? "")).length === 1)
    const [said] = await saidIn(session_id ?? "")
    assert.strictEqual(said?.payload["text"], `${isAdmin ? "Soups" : "News"}: what is for dinner?`)
  })
})
