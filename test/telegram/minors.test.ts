import { afterAll, assert, beforeAll, describe, it } from "vitest"
import {
  type FakeBot,
  type FakePerson,
  saidAtLeast,
  startTelegramHarness,
  type TelegramHarness
} from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const endUser = (person: FakePerson) => harness.app.get(`/v1/end-users/tg:${person.id}`)
const ageOf = async (person: FakePerson): Promise<string | undefined> => (await endUser(person)).body.data?.age_band
const started = async () => {
  const { bot, id } = await harness.attach()
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  return { bot, id, person }
}
/** Sends the message and waits until the turn is answered on the log. */
const saysAndHears = async (bot: FakeBot, person: FakePerson, text: string) => {
  harness.telegram.say(person, bot, text)
  await until("the answer", async () => {
    const { sessions } = (await harness.app.get(`/v1/sessions?external_user_ref=tg:${person.id}`)).body.data
    for (const { id } of sessions as ReadonlyArray<{ id: string }>) {
      const events = await harness.app.events(id)
      const asked = events.find((event) => event.role === "user" && event.payload["text"] === text)
      if (
        events.some(
          (event) =>
            event.type === "message.created" && event.role === "character" && event.trace_id === asked?.trace_id
        )
      )
        return true
    }
    return false
  })
}
const countOf = (bot: FakeBot, person: FakePerson, words: string) =>
  harness.said(bot, person).filter((text) => text.includes(words)).length
/** Requested, confirmed, and done. */
const forgets = async (bot: FakeBot, person: FakePerson) => {
  const [asked, deleted] = ["again within five minutes", "Your data has been deleted"]
  const before = [countOf(bot, person, asked), countOf(bot, person, deleted)] as const
  harness.telegram.say(person, bot, "/forget")
  await until("the question", () => countOf(bot, person, asked) > before[0])
  harness.telegram.say(person, bot, "/forget")
  await until("the end", () => countOf(bot, person, deleted) > before[1])
}

describe("a person who told a bot that they are 15", () => {
  it("is still a minor after /forget, in a new chat with the same or another bot of the app", async () => {
    const { bot, person } = await started()
    assert.strictEqual(await ageOf(person), "unknown")
    await saysAndHears(bot, person, "hi! I'm 15 btw")
    assert.strictEqual(await ageOf(person), "minor")
    for (let round = 0; round < 2; round++) {
      await forgets(bot, person)
      await saysAndHears(bot, person, "hello, it's me again")
      assert.strictEqual(await ageOf(person), "minor")
    }
    const other = await harness.attach()
    harness.telegram.start(person, other.bot)
    await saidAtLeast(harness, other.bot, person, 1)
    assert.strictEqual(await ageOf(person), "minor")
  })

  it("is still a minor if the app erases them afterwards, by a hash that is kept", async () => {
    const { bot, person } = await started()
    await saysAndHears(bot, person, "hi! I'm 15 btw")
    await forgets(bot, person)
    const { erasure_id } = (await harness.app.delete(`/v1/end-users/tg:${person.id}`)).body.data
    await until(
      "the erasure",
      async () => (await harness.app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.strictEqual((await endUser(person)).status, 404)
    const marks = await harness.server.database.sql<
      Array<{ mark: string }>
    >`select m::text as mark from minor_marks m where app_id = ${harness.app.appId}`
    assert.lengthOf(marks, 1)
    assert.notInclude(marks[0]?.mark, String(person.id))
    await saysAndHears(bot, person, "hello, it's me again")
    assert.strictEqual(await ageOf(person), "minor")
  })

  it("does not make anybody else a minor", async () => {
    const { bot, person } = await started()
    await saysAndHears(bot, person, "hello there")
    await forgets(bot, person)
    await saysAndHears(bot, person, "hello again")
    assert.strictEqual(await ageOf(person), "unknown")
  })
})
