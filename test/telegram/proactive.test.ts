import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { letWriteFirst, passHours } from "#test/support/proactive.ts"
import { saidAtLeast, startTelegramGround, type TelegramGround } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let ground: TelegramGround
beforeAll(async () => {
  ground = await startTelegramGround()
})
afterAll(() => ground.close())

const decisionsOf = async (session: string) =>
  (await ground.app.get(`/v1/apps/${ground.app.appId}/proactive-policy/decisions?session_id=${session}`)).body.data
    .decisions

/** What the last look came to, once it is one of these. */
const skip = (session: string, ...gates: ReadonlyArray<string>) =>
  until("a skip", async () => {
    const skippedBy: string | undefined = (await decisionsOf(session))[0]?.skipped_by
    return skippedBy !== undefined && gates.includes(skippedBy) && skippedBy
  })

/** A chat in which something was said, and whose character may write first. */
const converse = async () => {
  const { bot, id } = await ground.attach()
  const anna = ground.telegram.createUser({ first_name: "Anna" })
  ground.telegram.start(anna, bot)
  ground.telegram.say(anna, bot, "My dog Biscuit has learned to open doors.")
  await saidAtLeast(ground, bot, anna, 2)
  const session = (await ground.chatsOf(id))[0]?.session_id ?? ""
  await letWriteFirst(ground.app, session)
  return { bot, anna, session }
}

describe("a character that writes first on Telegram", () => {
  it("does so in the chat, after a silence, once", async () => {
    const { bot, anna, session } = await converse()
    const before = ground.said(bot, anna).length
    await passHours(ground.server.database.sql, session, 13)
    const event = await ground.app.waitFor(
      session,
      ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive"
    )
    const said = await saidAtLeast(ground, bot, anna, before + 1)
    assert.deepStrictEqual(said.slice(before), event.payload["bubbles"])
    assert.deepInclude((await decisionsOf(session))[0], { decision: "sent" })
  })

  it("is skipped before anything else while the person has blocked the bot, and may again once they are back", async () => {
    const { bot, anna, session } = await converse()
    ground.telegram.block(anna, bot)
    await until(
      "the chat to be known as blocked",
      async () =>
        (
          await ground.server.database
            .sql`select 1 from telegram_chats where session_id = ${session} and status = 'blocked'`
        ).length > 0
    )
    await passHours(ground.server.database.sql, session, 13)
    await skip(session, "chat_unreachable")
    assert.strictEqual(
      (await ground.app.get(`/v1/sessions/${session}/state`)).body.data.proactive.next_eligible_at,
      null
    )
    ground.telegram.unblock(anna, bot)
    ground.telegram.start(anna, bot)
    await until(
      "the session to be looked at anew",
      async () =>
        (
          await ground.server.database
            .sql`select 1 from relationships where session_id = ${session} and initiate_at < 'infinity'`
        ).length > 0
    )
  })

  it("is kept by the policy from a channel that it denies", async () => {
    const { session } = await converse()
    await ground.app.patch(`/v1/apps/${ground.app.appId}/proactive-policy`, {
      channel_policy: { channels: { telegram_byo: { allow: false } } }
    })
    await passHours(ground.server.database.sql, session, 13)
    assert.strictEqual(await skip(session, "channel_policy"), "channel_policy")
  })

  it("writes no more after /stop", async () => {
    const { bot, anna, session } = await converse()
    const before = ground.said(bot, anna).length
    ground.telegram.say(anna, bot, "/stop")
    await saidAtLeast(ground, bot, anna, before + 1)
    await passHours(ground.server.database.sql, session, 13)
    assert.strictEqual(await skip(session, "opted_out", "proactive_disabled"), "opted_out")
    // The person's own word outlasts what the app sets.
    await ground.app.patch(`/v1/sessions/${session}/proactive-controls`, { proactive_enabled: true })
    assert.strictEqual(
      (await ground.app.post(`/v1/sessions/${session}/proactive/evaluate`, {})).body.data.skipped_by,
      "opted_out"
    )
  })
})
