import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let old: TelegramHarness
let next: TestServer
beforeAll(async () => {
  old = await startTelegramHarness()
  const PORT = String(await freePort())
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`
  next = await startTestServer({ env: { TELEGRAM_API_ROOT: old.telegram.url, CELL: "new1", PORT, PUBLIC_URL } })
})
afterAll(async () => {
  await next.close()
  await old.close()
})

describe("a Telegram bot whose app moves to another cell", () => {
  it("answers there what is written before, during and after the move, once", async () => {
    const { telegram, app, said } = old
    const { bot, id } = await old.attach()
    const person = telegram.createUser()
    telegram.start(person, bot)
    await saidAtLeast(old, bot, person, 1)
    const texts = Array.from({ length: 6 }, (_, n) => `Message ${n}.`)
    for (const text of texts.slice(0, 2)) telegram.say(person, bot, text)

    const moving = runTroupe(
      { DATABASE_URL: old.server.database.url, TARGET_DATABASE_URL: next.database.url, SECRETS_KEY },
      ["app", "move", app.appId, "--to", "new1"]
    )
    await until("the hold", async () => {
      const held = await old.server.database.sql`select 1 from telegram_holds where kind = 'move'`
      return held.length > 0
    })
    for (const text of texts.slice(2, 4)) telegram.say(person, bot, text)
    const { code, stderr } = await moving
    assert.strictEqual(code, 0, stderr)
    for (const text of texts.slice(4)) telegram.say(person, bot, text)

    await until("the webhook of the new cell", () =>
      String(telegram.calls({ bot, method: "setWebhook" }).at(-1)?.parameters["url"]).startsWith(next.baseUrl)
    )
    const heard = async () =>
      (
        await next.database.sql<Array<{ text: string }>>`
          select payload ->> 'text' as text from events
          where app_id = ${app.appId} and type = 'message.created' and role = 'user' order by cursor`
      ).flatMap(({ text }) =>
        text
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== "")
      )
    await until("the last message", async () => (await heard()).includes("Message 5."))
    assert.deepStrictEqual(await heard(), texts)
    await until("all replies", async () => {
      const open = await next.database.sql`
        select 1 from turns where app_id = ${app.appId} and outcome is null
        union all select 1 from lanes where app_id = ${app.appId} and (position < head or owner is not null)`
      return open.length === 0
    })
    const replies = await next.database.sql`
      select sum(json_array_length(payload -> 'bubbles'))::int as bubbles from events
      where app_id = ${app.appId} and type in ('message.created', 'character.initiated') and role = 'character'`
    assert.strictEqual(said(bot, person).length, replies[0]?.["bubbles"])
    assert.strictEqual((await old.server.database.sql`select 1 from telegram_bots where channel_id = ${id}`).length, 0)
  })
})
