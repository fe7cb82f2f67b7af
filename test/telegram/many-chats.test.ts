import { afterAll, assert, beforeAll, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

const CHATS = 2000
const MESSAGES = 8

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

it("a message costs the same with many chats as with few, even with outdated planner statistics", async () => {
  const { bot, id } = await harness.attach()
  const { sql } = harness.server.database
  const ofChats = ["telegram_chats", "telegram_paces"]
  for (const table of ofChats) await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`
  await sql.unsafe("vacuum analyze telegram_chats, telegram_paces")
  await sql`
    insert into telegram_chats (app_id, channel_id, chat_id, kind, session_id, external_user_ref)
    select ${harness.app.appId}, ${id}, 1000 + n, 'private', 'ses_' || n, 'tg:' || n from generate_series(1,
      ${CHATS}::int) n`
  await sql`insert into telegram_paces (app_id, channel_id, chat_id) select app_id, channel_id, chat_id
    from telegram_chats`
  // Each connection reports what it has read to the statistics with a delay.
  const figures = async () => {
    const rows =
      await sql`select relname, idx_tup_fetch::int as read, n_tup_upd::int as changed from pg_stat_user_tables
        where relname = any(${ofChats})`
    return {
      read: rows.reduce((sum, row) => sum + row["read"], 0),
      places: rows.find((row) => row["relname"] === "telegram_paces")?.["changed"] as number
    }
  }
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  const before = await figures()
  for (let n = 1; n <= MESSAGES; n++) {
    harness.telegram.say(person, bot, `Message ${n}`)
    await saidAtLeast(harness, bot, person, 1 + n)
  }
  const after = await until("the statistics", async () => {
    const now = await figures()
    return now.places - before.places >= 2 * MESSAGES && now
  })
  assert.isBelow((after.read - before.read) / MESSAGES, 100)
})
