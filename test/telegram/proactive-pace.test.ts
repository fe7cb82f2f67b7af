import { afterAll, assert, beforeAll, it } from "vitest"
import { type FakeBot, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const CHATS = 100
const ASKING = 5
/** The maximum number of proactive messages of a bot in a second. */
const MAX_A_SECOND = 25

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

/** A proactive message in each of these chats, as turns that end at the same moment leave them. */
const writeFirst = async (chats: ReadonlyArray<number>, text: string) => {
  const { sql } = harness.server.database
  await sql`
    with log as (
      update session_logs l set last_cursor = last_cursor + 1 from telegram_chats c
      where c.chat_id = any(${[...chats]}::bigint[]) and l.session_id = c.session_id returning l.app_id, l.session_id,
        l.last_cursor
    ), written as (
      insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, expires_at)
      select app_id, session_id, last_cursor, 'evt_' || session_id, 'character.initiated', 'character', 'run_1',
        'proactive', ${sql.json({ kind: "proactive", text, bubbles: [text] })}, now() + interval '1 hour' from log
    )
    update lanes l set head = log.last_cursor, status = 'ready', due_at = now() from log
      where l.session_id = log.session_id`
  await sql`select graphile_worker.add_job('deliver', '{}'::json)`
}
const sent = (bot: FakeBot, isMeant: (text: string) => boolean) =>
  harness.telegram.calls({ bot, method: "sendMessage" }).filter(({ parameters }) => isMeant(String(parameters["text"])))

it("a bot's proactive messages to many people stay below 25 a second, and delay nobody's reply", async ({
  annotate
}) => {
  const { bot } = await harness.attach()
  const people = Array.from({ length: CHATS + ASKING }, () => harness.telegram.createUser())
  for (const person of people) harness.telegram.start(person, bot)
  await until("all to be greeted", () => people.every((person) => harness.said(bot, person).length === 1))
  await until(
    "every lane to be idle",
    async () =>
      (await harness.server.database.sql`select 1 from lanes where position < head or owner is not null`).length === 0
  )

  const [asking, silent] = [people.slice(0, ASKING), people.slice(ASKING)]
  const isOwn = (text: string) => text === "The first swallows are back."
  await writeFirst(
    silent.map(({ id }) => id),
    "The first swallows are back."
  )
  await until("the first", () => sent(bot, isOwn).length > 0)
  for (const person of asking) harness.telegram.say(person, bot, "/help")
  await until("all answers", () => asking.every((person) => harness.said(bot, person).length === 2))
  await until("all that was said unasked", () => silent.every((person) => harness.said(bot, person).length === 2))

  const times = sent(bot, isOwn).map(({ atMs }) => atMs)
  const answeredAt = asking.map(
    ({ id }) => harness.telegram.calls({ bot, method: "sendMessage", chat: id }).at(-1)?.atMs ?? Infinity
  )
  const before = times.filter((at) => at < Math.max(...answeredAt)).length
  assert.lengthOf(times, CHATS)
  const tightest = Math.min(...times.slice(MAX_A_SECOND).map((at, index) => at - (times[index] ?? 0)))
  await annotate(
    `${CHATS} in ${(times.at(-1) ?? 0) - (times[0] ?? 0)} ms, ${MAX_A_SECOND + 1} never closer than ` +
      `${tightest} ms, answers there after ${before}`
  )
  assert.isAtLeast(tightest, 1000)
  assert.isBelow(before, CHATS)
})
