import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { enableProactive } from "#test/support/proactive.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const waitingForLocks = (count: number) =>
  until(
    `${count} to wait for a lock`,
    async () =>
      (
        await harness.server.database
          .sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length >= count
  )
const statusOf = async (id: string) => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status

/** Suspends the bot after another operation on its rows. Both wait for the holder of a row lock. */
const suspendedBehind = async (id: string, other: () => unknown) => {
  let suspended: Promise<{ readonly status: number }> | undefined
  await harness.server.database.sql.begin(async (sql) => {
    await sql`select from telegram_bots where channel_id = ${id} for update`
    other()
    await waitingForLocks(1)
    suspended = harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})
    await waitingForLocks(2)
  })
  return (await suspended)?.status
}

describe("a bot that is suspended at the same moment", () => {
  it("is configured anyway", async () => {
    const { id } = await harness.attach()
    let configured: Promise<{ readonly status: number }> | undefined
    assert.strictEqual(
      await suspendedBehind(id, () => {
        configured = harness.app.patch(`/v1/telegram/bots/${id}`, { join_window_ms: 5 })
      }),
      200
    )
    assert.strictEqual((await configured)?.status, 200)
    assert.deepInclude((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data, {
      join_window_ms: 5,
      status: "suspended"
    })
  })

  it("gets its new token", async () => {
    const { bot, id } = await harness.attach()
    harness.telegram.revokeToken(bot)
    harness.telegram.advance(2000)
    let given: Promise<{ readonly status: number }> | undefined
    assert.strictEqual(
      await suspendedBehind(id, () => {
        given = harness.app.patch(`/v1/telegram/bots/${id}`, { token: bot.token })
      }),
      200
    )
    assert.strictEqual((await given)?.status, 200)
    assert.strictEqual(await statusOf(id), "suspended")
  })

  it("is revoked if its token is found to be invalid", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    harness.telegram.fault({ bot, method: "sendMessage" }, { kind: "error", code: 401, description: "Unauthorized" })
    assert.notStrictEqual(await suspendedBehind(id, () => harness.telegram.say(person, bot, "Hello?")), 500)
    assert.strictEqual(await statusOf(id), "revoked")
  })
})

it("a returning chat waits for the writer in its session, and nobody waits for the chat", async () => {
  const { bot, id } = await harness.attach()
  const person = harness.telegram.createUser()
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  const session = (await harness.chatsOf(id))[0]?.session_id ?? ""
  await enableProactive(harness.app, session)
  harness.telegram.block(person, bot)
  const standing = (status: string) =>
    until(`the chat to be ${status}`, async () => (await harness.chatsOf(id))[0]?.status === status)
  await standing("blocked")
  await harness.server.database.sql`update relationships set initiate_at = 'infinity' where session_id = ${session}`
  await harness.server.database.sql`update lanes set status = 'parked' where session_id = ${session}`
  await harness.server.database.sql.begin(async (sql) => {
    await sql`select from relationships where session_id = ${session} for no key update`
    harness.telegram.unblock(person, bot)
    await waitingForLocks(1)
    assert.lengthOf(await sql`select from lanes where session_id = ${session} for no key update nowait`, 1)
  })
  await standing("active")
})
