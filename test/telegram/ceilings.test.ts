import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeBot, saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness({
    fake: { rates: { chat: { perSecond: 1, burst: 3 }, group: { perSecond: 1 / 3, burst: 1 } } }
  })
})
afterAll(() => harness.close())

const isTooMany = (answer: object | undefined) =>
  answer !== undefined && "error_code" in answer && answer.error_code === 429
const tooMany = (bot: FakeBot) =>
  harness.telegram
    .calls({ bot })
    .filter(({ answer, method }) => method !== "setWebhook" && isTooMany(answer))
    .map(({ method }) => method)

describe("the rate limit of a chat", () => {
  it("is respected by the answer to /forget, which arrives", async () => {
    const { bot } = await harness.attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    for (const text of ["/help", "/help", "/forget", "/forget"]) harness.telegram.say(person, bot, text)
    await until("the end", () =>
      harness.said(bot, person).some((text) => text.startsWith("Your data has been deleted"))
    )
    assert.isEmpty(tooMany(bot))
  })

  it("is respected by the answer that nobody is available, however often somebody writes", async () => {
    const slug = await harness.app.createCharacter()
    const { bot } = await harness.attach({ character_slug: slug })
    assert.strictEqual((await harness.app.delete(`/v1/characters/${slug}`)).status, 200)
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    for (const text of ["Hello?", "Is somebody there?", "Well?", "Hm."]) harness.telegram.say(person, bot, text)
    assert.lengthOf(new Set(await saidAtLeast(harness, bot, person, 5)), 1)
    assert.isEmpty(tooMany(bot))
  })

  it("is respected by a message that is sent again in another form", async () => {
    const { bot } = await harness.attach({
      character_slug: await harness.app.createCharacter({ greeting: "*waves* Come in." })
    })
    const owner = harness.telegram.createUser({ first_name: "Anna" })
    const group = harness.telegram.createGroup([owner])
    harness.telegram.addBot(group, owner, bot)
    harness.telegram.fault(
      { bot, method: "sendMessage" },
      {
        kind: "error",
        code: 400,
        description: "Bad Request: can't parse entities: there is one that ends before it begins"
      }
    )
    harness.telegram.say(owner, group, `/help@${bot.username}`)
    await until("the answer", () => harness.telegram.transcript(group).some((message) => message.from?.id === bot.id))
    assert.isEmpty(tooMany(bot))
  })
})

describe("a 429", () => {
  const met = async (bot: FakeBot) => {
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    return person
  }
  const refuse = (bot: FakeBot, chat: number, retry_after: number) =>
    harness.telegram.fault(
      { bot, chat, method: "sendMessage" },
      {
        kind: "error",
        code: 429,
        description: `Too Many Requests: retry after ${retry_after}`,
        parameters: { retry_after }
      }
    )

  it("halves the pace of its chat afterwards", async () => {
    const { bot } = await harness.attach()
    const person = await met(bot)
    refuse(bot, person.id, 1)
    for (let n = 0; n < 5; n++) harness.telegram.say(person, bot, "/help")
    await saidAtLeast(harness, bot, person, 6)
    const calls = harness.telegram.calls({ bot, method: "sendMessage" })
    const refusedAt = calls.find(({ answer }) => isTooMany(answer))?.atMs ?? 0
    // Measured from the refusal, because a delayed message arrives closer to the next one. At normal speed it would be
    // three seconds.
    assert.isAtLeast((calls.at(-1)?.atMs ?? 0) - refusedAt, 5900)
    assert.lengthOf(tooMany(bot), 1)
  })

  it("pauses the whole bot if several of its chats got one, and no other bot", async () => {
    const { bot, id } = await harness.attach()
    const [anna, bea, carl] = [await met(bot), await met(bot), await met(bot)]
    const blockedUntil = async () => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.blocked_until
    refuse(bot, anna.id, 6000)
    harness.telegram.say(anna, bot, "/help")
    await until("the first", () => tooMany(bot).length === 1)
    harness.telegram.say(carl, bot, "/help")
    await saidAtLeast(harness, bot, carl, 2)
    assert.isNull(await blockedUntil())
    refuse(bot, bea.id, 6000)
    harness.telegram.say(bea, bot, "/help")
    await until("the bot to be held", async () => (await blockedUntil()) !== null)
    harness.telegram.say(carl, bot, "/help")
    const chat = (await harness.chatsOf(id)).find(({ chat_id }) => chat_id === carl.id)
    await until(
      "the lane to wait",
      async () =>
        (
          await harness.server.database.sql`
              select 1 from lanes where session_id = ${chat?.session_id ?? ""} and status = 'waiting'
              and due_at > now() + interval '90 minutes'`
        ).length === 1
    )
    assert.lengthOf(harness.said(bot, carl), 2)
    const other = await harness.attach()
    await met(other.bot)
  })
})
