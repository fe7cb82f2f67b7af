import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { enableProactive, shiftIntoPast } from "#test/support/conversation/proactive.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const decisionsOf = async (session: string) =>
  (await harness.app.get(`/v1/apps/${harness.app.appId}/proactive-policy/decisions?session_id=${session}`)).body.data
    .decisions

/** The result of the last check, once it is one of these. */
const skip = (session: string, ...gates: ReadonlyArray<string>) =>
  until("a skip", async () => {
    const skippedBy: string | undefined = (await decisionsOf(session))[0]?.skipped_by
    return skippedBy !== undefined && gates.includes(skippedBy) && skippedBy
  })

/** A chat in which something was said, and whose character may write first. */
const converse = async () => {
  const { bot, id } = await harness.attach()
  const anna = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(anna, bot)
  harness.telegram.say(anna, bot, "My dog Biscuit has learned to open doors.")
  await saidAtLeast(harness, bot, anna, 2)
  const session = (await harness.chatsOf(id))[0]?.session_id ?? ""
  // An answer may have several bubbles.
  await until(
    "all of the answer",
    async () =>
      (
        await harness.server.database
          .sql`select 1 from lanes where session_id = ${session} and position >= head and owner is null`
      ).length === 1
  )
  await enableProactive(harness.app, session)
  return { bot, anna, session }
}

describe("a character that writes first on Telegram", () => {
  it("writes in the chat, after a silence, once", async () => {
    const { bot, anna, session } = await converse()
    const before = harness.said(bot, anna).length
    await shiftIntoPast(harness.server.database.sql, session, 13)
    const event = await harness.app.waitFor(
      session,
      ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive"
    )
    const bubbles = event.payload["bubbles"]
    const said = await saidAtLeast(harness, bot, anna, before + bubbles.length)
    assert.deepStrictEqual(said.slice(before), bubbles)
    assert.deepInclude((await decisionsOf(session))[0], { decision: "sent" })
  })

  it("is skipped while the person blocks the bot, before any other gate, and allowed again afterwards", async () => {
    const { bot, anna, session } = await converse()
    harness.telegram.block(anna, bot)
    await until(
      "the chat to be known as blocked",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from telegram_chats where session_id = ${session} and status = 'blocked'`
        ).length > 0
    )
    await shiftIntoPast(harness.server.database.sql, session, 13)
    await skip(session, "chat_unreachable")
    assert.strictEqual(
      (await harness.app.get(`/v1/sessions/${session}/state`)).body.data.proactive.next_eligible_at,
      null
    )
    harness.telegram.unblock(anna, bot)
    harness.telegram.start(anna, bot)
    // It is due for a check, or it was checked already.
    await until(
      "the session to be checked again",
      async () =>
        (
          await harness.server.database
            .sql`select 1 from relationships where session_id = ${session} and initiate_at < 'infinity'`
        ).length > 0 || (await decisionsOf(session))[0].skipped_by !== "chat_unreachable"
    )
  })

  it("does not write on a channel that the policy denies", async () => {
    const { session } = await converse()
    await harness.app.patch(`/v1/apps/${harness.app.appId}/proactive-policy`, {
      channel_policy: { channels: { telegram_byo: { allow: false } } }
    })
    await shiftIntoPast(harness.server.database.sql, session, 13)
    assert.strictEqual(await skip(session, "channel_policy"), "channel_policy")
  })

  it("writes no more after /stop", async () => {
    const { bot, anna, session } = await converse()
    const before = harness.said(bot, anna).length
    harness.telegram.say(anna, bot, "/stop")
    await saidAtLeast(harness, bot, anna, before + 1)
    await shiftIntoPast(harness.server.database.sql, session, 13)
    assert.strictEqual(await skip(session, "opted_out", "proactive_disabled"), "opted_out")
    // The person's own opt-out takes precedence over what the app sets.
    await harness.app.patch(`/v1/sessions/${session}/proactive-controls`, { proactive_enabled: true })
    assert.strictEqual(
      (await harness.app.post(`/v1/sessions/${session}/proactive/evaluate`, {})).body.data.skipped_by,
      "opted_out"
    )
  })
})
