import { afterAll, assert, beforeAll, it } from "vitest"
import { saidAtLeast, startTelegramGround, type TelegramGround } from "#test/support/TelegramHarness.ts"

let ground: TelegramGround
beforeAll(async () => {
  ground = await startTelegramGround()
})
afterAll(() => ground.close())

it("updates come in and are answered while somebody holds their bot's row", async () => {
  const { bot, id } = await ground.attach()
  const person = ground.telegram.createUser({ first_name: "Anna" })
  await ground.server.database.sql.begin(async (sql) => {
    await sql`select from telegram_bots where channel_id = ${id} for update`
    ground.telegram.start(person, bot)
    assert.lengthOf(await saidAtLeast(ground, bot, person, 1), 1)
  })
})
