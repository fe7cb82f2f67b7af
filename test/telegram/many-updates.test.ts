import { afterAll, assert, beforeAll, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"

/** How many updates wait in a single chat of another bot. */
const WAITING = 10_000

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

it("thousands of updates that wait for one bot delay no other bot, even with outdated planner statistics", async () => {
  const { sql } = harness.server.database
  await sql`alter table telegram_updates set (autovacuum_enabled = false)`
  await sql.unsafe("vacuum analyze telegram_updates")
  const quiet = await harness.attach()
  const busy = await harness.attach()
  const person = harness.telegram.createUser({ first_name: "Anna" })
  harness.telegram.start(person, quiet.bot)
  await saidAtLeast(harness, quiet.bot, person, 1)
  await sql`
    insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, raw)
    select ${harness.app.appId}, ${busy.id}, n, 'other', 0, '{}' from generate_series(1, ${WAITING}::int) n`
  for (let n = 1; n <= 3; n++) {
    harness.telegram.say(person, quiet.bot, `Message ${n}`)
    await saidAtLeast(harness, quiet.bot, person, 1 + n)
  }
  const [left] = await sql`select count(*)::int as n from telegram_updates where done_at is null`
  assert.isAbove(left?.["n"], WAITING / 2)
})
