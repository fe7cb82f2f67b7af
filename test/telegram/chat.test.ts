import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { saidAtLeast, startTelegramGround, type TelegramGround } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let ground: TelegramGround
beforeAll(async () => {
  ground = await startTelegramGround()
})
afterAll(() => ground.close())

const sessionsOf = async (id: string) => (await ground.app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats

describe("a chat with a bot", () => {
  it("begins with the character's greeting and goes on as a session of the app, without run.status", async () => {
    const { bot, id } = await ground.attach()
    const anna = ground.telegram.createUser({ first_name: "Anna" })
    ground.telegram.start(anna, bot)
    assert.deepStrictEqual(await saidAtLeast(ground, bot, anna, 1), ["Come in, the soup is hot."])
    ground.telegram.say(anna, bot, "What is for dinner?")
    const said = await saidAtLeast(ground, bot, anna, 2)
    const [chat] = await sessionsOf(id)
    assert.deepInclude(chat, {
      chat_id: anna.id,
      kind: "private",
      external_user_ref: `tg:${anna.id}`,
      status: "active"
    })
    const events = await ground.app.events(chat.session_id)
    assert.deepStrictEqual(
      events.map(({ type, role }) => `${type} ${role}`),
      ["character.initiated character", "message.created user", "message.created character"]
    )
    assert.strictEqual(events[1]?.payload["text"], "What is for dinner?")
    assert.deepStrictEqual(said.slice(1), events[2]?.payload["bubbles"])
    const { deliveries } = (await ground.app.get(`/v1/sessions/${chat.session_id}/delivery`)).body.data
    await until("all to be sent", async () =>
      (await ground.app.get(`/v1/sessions/${chat.session_id}/delivery`)).body.data.deliveries.every(
        (d: { outcome: string }) => d.outcome === "sent"
      )
    )
    assert.deepInclude(deliveries.at(-1), { kind: "telegram_byo", channel_id: id })
  })
})
