import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as z from "zod"
import type { BatchData, BatchItems } from "#src/http/telegram/telegramBatchSchemas.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

type BatchResource = z.output<typeof BatchData>
type BatchItem = z.output<typeof BatchItems>["items"][number]
const batch = async (body: object): Promise<BatchResource> => {
  const answer = await harness.app.post("/v1/telegram/batches", body)
  assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data
}
const completed = (id: string): Promise<BatchResource> =>
  until("the batch to end", async () => {
    const { data } = (await harness.app.get(`/v1/telegram/batches/${id}`)).body
    return data.status === "completed" && data
  })
const itemsOf = async (id: string): Promise<ReadonlyArray<BatchItem>> =>
  (await harness.app.get(`/v1/telegram/batches/${id}/items?limit=100`)).body.data.items

describe("a batch", () => {
  it("attaches many bots, with a result for each, and stores no token", async () => {
    const character_slug = await harness.app.createCharacter()
    const [one, two, foreign] = [
      harness.telegram.createBot(),
      harness.telegram.createBot(),
      harness.telegram.createBot()
    ]
    await fetch(`${harness.telegram.url}/bot${foreign.token}/setWebhook?url=https://example.com/hook`)
    const dead = `987654321:${"B".repeat(35)}`
    const bots = [one.token, dead, two.token, foreign.token, one.token].map((token) => ({ token, character_slug }))
    const { id, total } = await batch({ action: "attach", bots })
    assert.strictEqual(total, 5)
    assert.deepInclude(await completed(id), { done: 2, failed: 3 })
    const items = await itemsOf(id)
    assert.deepStrictEqual(
      items.map(({ status, error_code }) => error_code ?? status),
      ["done", "telegram_token_invalid", "done", "telegram_webhook_foreign", "telegram_bot_taken"]
    )
    assert.deepInclude((await harness.app.get(`/v1/telegram/bots/${items[0]?.bot_id}`)).body.data, {
      status: "active",
      telegram_user_id: one.id
    })
    assert.isEmpty(await harness.server.database.sql`select 1 from telegram_batch_items where token is not null`)
  })

  it("changes nothing in a dry run", async () => {
    const bot = harness.telegram.createBot()
    const { id } = await batch({
      action: "attach",
      dry_run: true,
      bots: [{ token: bot.token, character_slug: await harness.app.createCharacter() }]
    })
    assert.deepInclude(await completed(id), { done: 1, failed: 0 })
    assert.isEmpty(harness.telegram.calls({ bot, method: "setWebhook" }))
  })

  it("continues where a process died, and does nothing twice", async () => {
    const character_slug = await harness.app.createCharacter()
    const bot = harness.telegram.createBot()
    const { sql } = harness.server.database
    // Taken by a process that got as far as the bot's row.
    harness.telegram.fault({ bot, method: "setWebhook" }, { kind: "hang" })
    const { id } = await batch({ action: "attach", bots: [{ token: bot.token, character_slug }] })
    const [item] = await until("the bot's row", async () => {
      const items = await itemsOf(id)
      return (
        (await sql`select 1 from telegram_bots where channel_id = ${items[0]?.bot_id ?? null}`).length === 1 && items
      )
    })
    await sql`update telegram_batch_items set due_at = now() where batch_id = ${id}`
    await sql`select graphile_worker.add_job('batches', '{}'::json)`
    assert.deepInclude(await completed(id), { done: 1, failed: 0 })
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${item?.bot_id}`)).body.data.status, "active")
  })

  it("suspends and resumes many bots, and reports missing ones", async () => {
    const [{ id: one }, { id: two }] = [await harness.attach(), await harness.attach()]
    const suspended = await batch({ action: "suspend", bot_ids: [one, two, "bot_x"] })
    assert.deepInclude(await completed(suspended.id), { done: 2, failed: 1 })
    assert.deepStrictEqual(
      (await itemsOf(suspended.id)).map(({ error_code }) => error_code),
      [null, null, "bot_not_found"]
    )
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${two}`)).body.data.status, "suspended")
    harness.telegram.advance(2000)
    const resumed = await batch({ action: "resume", bot_ids: [one, two] })
    assert.deepInclude(await completed(resumed.id), { done: 2, failed: 0 })
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${one}`)).body.data.status, "active")
    const rotated = await batch({ action: "rotate_token", bot_ids: [one] })
    await completed(rotated.id)
    assert.strictEqual((await itemsOf(rotated.id))[0]?.error_code, "bot_not_managed")
  })

  it("does not finish a bot that it resumes before its webhook is set", async () => {
    const { bot, id } = await harness.attach()
    await harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})
    harness.telegram.advance(2000)
    const refusal = harness.telegram.fault({ bot, method: "setWebhook", count: 1000 }, { kind: "html502" })
    const resumed = await batch({ action: "resume", bot_ids: [id] })
    await until(
      "the first attempt to fail",
      async () => (await itemsOf(resumed.id))[0]?.error_code === "upstream_failed"
    )
    refusal.remove()
    await harness.server.database.sql`update telegram_batch_items set due_at = now() where batch_id = ${resumed.id}`
    await harness.server.database.sql`select graphile_worker.add_job('batches', '{}'::json)`
    assert.deepInclude(await completed(resumed.id), { done: 1, failed: 0 })
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status, "active")
  })

  it("gives up an item that has crashed ten processes", async () => {
    const { bot, id: botId } = await harness.attach()
    harness.telegram.fault({ bot, method: "setWebhook" }, { kind: "hang" })
    harness.telegram.advance(2000)
    const { id } = await batch({ action: "rotate_secret", bot_ids: [botId] })
    await until(
      "it to be taken",
      async () =>
        (await harness.server.database.sql`select 1 from telegram_batch_items where batch_id = ${id} and attempts >= 1`)
          .length === 1
    )
    await harness.server.database
      .sql`update telegram_batch_items set attempts = 10, due_at = now() where batch_id = ${id}`
    await harness.server.database.sql`select graphile_worker.add_job('batches', '{}'::json)`
    assert.deepInclude(await completed(id), { done: 0, failed: 1 })
    assert.strictEqual((await itemsOf(id))[0]?.error_code, "internal_error")
  })

  it("with tokens of another app delays no suspension, and one with missing bots occupies no slot", async () => {
    const { id } = await harness.attach()
    const other = await harness.server.createApp()
    const character_slug = await other.createCharacter()
    const tokens = Array.from({ length: 40 }, (_, n) => `98765432${n}:${"C".repeat(35)}`)
    const {
      body: { data: attaching }
    } = await other.post("/v1/telegram/batches", {
      action: "attach",
      bots: tokens.map((token) => ({ token, character_slug }))
    })
    assert.deepInclude(await completed((await batch({ action: "suspend", bot_ids: [id] })).id), { done: 1 })
    assert.strictEqual((await other.get(`/v1/telegram/batches/${attaching.id}`)).body.data.status, "running")
    const places = () => harness.server.database.sql`select taken_until from telegram_batch_paces where kind = 'change'`
    const before = await places()
    assert.deepInclude(
      await completed(
        (await batch({ action: "rebrand", bot_ids: Array.from({ length: 1000 }, (_, n) => `bot_${n}`) })).id
      ),
      { failed: 1000 }
    )
    assert.deepStrictEqual(await places(), before)
  })

  it("belongs to one app", async () => {
    const { id } = await batch({ action: "suspend", bot_ids: ["bot_x"] })
    const other = await harness.server.createApp()
    for (const path of [`/v1/telegram/batches/${id}`, `/v1/telegram/batches/${id}/items`])
      assert.strictEqual((await other.get(path)).body.detail.code, "batch_not_found")
  })
})
