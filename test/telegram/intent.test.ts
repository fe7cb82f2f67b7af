import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeBot, saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { speakIn } from "#test/support/telegram/speakIn.ts"
import { until } from "#test/support/until.ts"

const GREETING = "Come in, the soup is hot."

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

/** A chat whose greeting has been handed to Telegram, and is recorded with its outcome. */
const begin = async () => {
  const { bot, id } = await harness.attach()
  const person = harness.telegram.createUser()
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  const session = (await harness.chatsOf(id))[0]?.session_id ?? assert.fail("no session")
  await atRest(session)
  return { bot, id, person, session }
}
const laneIs = (session: string, what: (lane: { readonly owner: string | null; readonly done: boolean }) => boolean) =>
  until("the lane", async () => {
    const [lane] = await harness.server.database.sql<Array<{ owner: string | null; done: boolean }>>`
      select owner, position >= head as done from lanes where session_id = ${session}`
    return lane !== undefined && what(lane)
  })
const atRest = (session: string) => laneIs(session, ({ owner, done }) => done && owner === null)
const outcomes = async (session: string, cursor: number) =>
  (
    await harness.server.database.sql<Array<{ outcome: string }>>`
      select outcome from delivery_attempts where session_id = ${session} and cursor = ${cursor} order by fence`
  ).map(({ outcome }) => outcome)
const messagesTo = (bot: FakeBot) => harness.telegram.calls({ bot, method: "sendMessage" }).length

/** The character speaks, and this happens while the record of the intent to send it waits for the lane. */
const whileIntending = async (
  { id, session }: { readonly id: string; readonly session: string },
  happens: () => Promise<unknown>
) => {
  const { sql } = harness.server.database
  await sql.begin(async (lane) => {
    await sql.begin(async (pace) => {
      await pace`select from telegram_paces where channel_id = ${id} for update`
      await speakIn(sql, session, ["Are you there?"])
      await laneIs(session, ({ owner }) => owner !== null)
      await lane`select from lanes where session_id = ${session} for update`
    })
    await until("the intent to wait for the lane", async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%update lanes l set sending = %'`
      return waiting.length > 0
    })
    await happens()
  })
}

describe("the intent to send a message", () => {
  it("is on record before Telegram gets the message", async () => {
    const chat = await begin()
    const before = messagesTo(chat.bot)
    await whileIntending(chat, async () => assert.strictEqual(messagesTo(chat.bot), before))
    await saidAtLeast(harness, chat.bot, chat.person, 2)
    await atRest(chat.session)
    harness.telegram.fault({ bot: chat.bot, method: "sendMessage" }, { kind: "hang" })
    await speakIn(harness.server.database.sql, chat.session, ["Still there?"])
    await until("Telegram to have it", () => messagesTo(chat.bot) === before + 2)
    const [lane] = await harness.server.database.sql`
      select sending::int, sending_part from lanes where session_id = ${chat.session}`
    assert.deepStrictEqual({ ...lane }, { sending: 3, sending_part: 0 })
    harness.telegram.breakConnections()
    await atRest(chat.session)
    assert.deepStrictEqual(await outcomes(chat.session, 3), ["unknown"])
  })

  it("leaves nothing unknown if the connection breaks before the message is written: it is sent again", async () => {
    const chat = await begin()
    let isBroken = false
    const onError = (message: unknown) => {
      const { path } = (message as { readonly request: { readonly path: string } }).request
      if (path === `/bot${chat.bot.token}/sendMessage`) isBroken = true
    }
    subscribe("undici:request:error", onError)
    try {
      await whileIntending(chat, async () => {
        harness.telegram.breakConnections()
        await until("the call to fail", () => isBroken)
      })
    } finally {
      unsubscribe("undici:request:error", onError)
    }
    assert.deepStrictEqual(await saidAtLeast(harness, chat.bot, chat.person, 2), [GREETING, "Are you there?"])
    await atRest(chat.session)
    assert.deepStrictEqual(await outcomes(chat.session, 2), ["not_sent", "sent"])
  })
})

describe("a greeting", () => {
  /** As a process leaves the lane that dies after the intent to send the greeting. */
  const dieWhileGreeting = async (session: string) => {
    const { sql } = harness.server.database
    await sql`
      update lanes set position = 0, part = 0, status = 'ready', owner = 'wrk_dead', fence = fence + 1, sending = 1,
        sending_part = 0, sending_fence = fence + 1, sending_at = now() where session_id = ${session}`
    await sql`select graphile_worker.add_job('deliver', '{}'::json)`
  }

  it("is sent again if its process dies, but only once", async () => {
    const { bot, person, session } = await begin()
    await dieWhileGreeting(session)
    await saidAtLeast(harness, bot, person, 2)
    await atRest(session)
    await dieWhileGreeting(session)
    await atRest(session)
    await speakIn(harness.server.database.sql, session, ["And then."])
    assert.deepStrictEqual(await saidAtLeast(harness, bot, person, 3), [GREETING, GREETING, "And then."])
    assert.deepStrictEqual(await outcomes(session, 1), ["sent", "unknown", "sent", "unknown"])
  })

  it("is not sent again if its connection breaks", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.fault({ bot, method: "sendMessage" }, { kind: "drop_after" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const session = (await harness.chatsOf(id))[0]?.session_id ?? assert.fail("no session")
    await atRest(session)
    await speakIn(harness.server.database.sql, session, ["And then."])
    assert.deepStrictEqual(await saidAtLeast(harness, bot, person, 2), [GREETING, "And then."])
    assert.deepStrictEqual(await outcomes(session, 1), ["unknown"])
  })
})
