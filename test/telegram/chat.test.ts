import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const sessionsOf = async (id: string) => (await harness.app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats

describe("a chat with a bot", () => {
  it("starts with the character's greeting and continues as a session of the app, without run.status", async () => {
    const { bot, id } = await harness.attach()
    const anna = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(anna, bot)
    assert.deepStrictEqual(await saidAtLeast(harness, bot, anna, 1), ["Come in, the soup is hot."])
    harness.telegram.say(anna, bot, "What is for dinner?")
    const said = await saidAtLeast(harness, bot, anna, 2)
    const [chat] = await sessionsOf(id)
    assert.deepInclude(chat, {
      chat_id: anna.id,
      kind: "private",
      external_user_ref: `tg:${anna.id}`,
      status: "active"
    })
    const events = await harness.app.events(chat.session_id)
    assert.deepStrictEqual(
      events.map(({ type, role }) => `${type} ${role}`),
      ["character.initiated character", "message.created user", "message.created character"]
    )
    assert.strictEqual(events[1]?.payload["text"], "What is for dinner?")
    assert.deepStrictEqual(said.slice(1), events[2]?.payload["bubbles"])
    const { deliveries } = (await harness.app.get(`/v1/sessions/${chat.session_id}/delivery`)).body.data
    await until("all to be sent", async () =>
      (await harness.app.get(`/v1/sessions/${chat.session_id}/delivery`)).body.data.deliveries.every(
        (d: { outcome: string }) => d.outcome === "sent"
      )
    )
    assert.deepInclude(deliveries.at(-1), { kind: "telegram_byo", channel_id: id })
  })
})
