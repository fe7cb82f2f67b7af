import { afterAll, assert, beforeAll, it } from "vitest"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

it("updates are received and answered while another transaction locks their bot's row", async () => {
  const { bot, id } = await harness.attach()
  const person = harness.telegram.createUser({ first_name: "Anna" })
  await harness.server.database.sql.begin(async (sql) => {
    await sql`select from telegram_bots where channel_id = ${id} for update`
    harness.telegram.start(person, bot)
    assert.lengthOf(await saidAtLeast(harness, bot, person, 1), 1)
  })
})
