import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeBot, saidAtLeast, startTelegramGround, type TelegramGround } from "#test/support/TelegramGround.ts"
import { until } from "#test/support/until.ts"

let ground: TelegramGround
beforeAll(async () => { ground = await startTelegramGround({ fake: { rates: { chat: { perSecond: 1, burst: 3 }, group: { perSecond: 1 / 3, burst: 1 } } } }) })
afterAll(() => ground.close())

const isTooMany = (answer: object | undefined) => answer !== undefined && "error_code" in answer && answer.error_code === 429
const tooMany = (bot: FakeBot) => ground.telegram.calls({ bot }).filter(({ answer, method }) => method !== "setWebhook" && isTooMany(answer)).map(({ method }) => method)

describe("what a chat takes", () => {
  it("is not exceeded by the last word of /forget, and the word is heard", async () => {
    const { bot } = await ground.attach()
    const person = ground.telegram.createUser({ first_name: "Anna" })
    ground.telegram.start(person, bot)
    await saidAtLeast(ground, bot, person, 1)
    for (const text of ["/help", "/help", "/forget", "/forget"]) ground.telegram.say(person, bot, text)
    await until("the end", () => ground.said(bot, person).some((text) => text.startsWith("It is deleted")))
    assert.isEmpty(tooMany(bot))
  })

  it("is not exceeded by the word that nobody is there, however often somebody writes", async () => {
    const slug = await ground.app.createCharacter()
    const { bot } = await ground.attach({ character_slug: slug })
    assert.strictEqual((await ground.app.delete(`/v1/characters/${slug}`)).status, 200)
    const person = ground.telegram.createUser({ first_name: "Anna" })
    ground.telegram.start(person, bot)
    for (const text of ["Hello?", "Is somebody there?", "Well?", "Hm."]) ground.telegram.say(person, bot, text)
    assert.lengthOf(new Set(await saidAtLeast(ground, bot, person, 5)), 1)
    assert.isEmpty(tooMany(bot))
  })

  it("is not exceeded by a message that is sent in another form", async () => {
    const { bot } = await ground.attach({ character_slug: await ground.app.createCharacter({ greeting: "*waves* Come in." }) })
    const owner = ground.telegram.createUser({ first_name: "Anna" })
    const group = ground.telegram.createGroup([owner])
    ground.telegram.addBot(group, owner, bot)
    ground.telegram.fault({ bot, method: "sendMessage" }, { kind: "error", code: 400, description: "Bad Request: can't parse entities: there is one that ends before it begins" })
    ground.telegram.say(owner, group, `/help@${bot.username}`)
    await until("the answer", () => ground.telegram.transcript(group).some((message) => message.from?.id === bot.id))
    assert.isEmpty(tooMany(bot))
  })
})
