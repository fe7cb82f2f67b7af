import type { WebhookInfo } from "@grammyjs/types"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import {
  type BotResource,
  type FakeBot,
  saidAtLeast,
  startTelegramHarness,
  type TelegramHarness
} from "#test/support/TelegramHarness.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { withoutUpdates } from "#test/support/postgres/withoutUpdates.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const probe = async (id: string): Promise<BotResource> =>
  (await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data
const operations = async (id: string): Promise<ReadonlyArray<string>> =>
  (await harness.app.get("/v1/delivery/events")).body.data.events.flatMap((event: LogEvent) =>
    event.payload["bot_id"] === id ? [event.type] : []
  )
const webhookOf = async (bot: FakeBot) =>
  (
    (await (await fetch(`${harness.telegram.url}/bot${bot.token}/getWebhookInfo`)).json()) as {
      readonly result: WebhookInfo
    }
  ).result

describe("a bot whose webhook fails", () => {
  it("is degraded when updates pile up, and active again after two good checks", async () => {
    const { bot, id } = await harness.attach()
    const people = [1, 2].map(() => harness.telegram.createUser())
    await withoutUpdates(harness.server, async () => {
      for (const [index, person] of people.entries()) {
        harness.telegram.start(person, bot)
        await until(
          "an attempt",
          () => harness.telegram.deliveries(bot).filter(({ outcome }) => outcome === 503).length > index
        )
        assert.deepInclude(
          await probe(id),
          index === 0 ? { status: "active", reason: null } : { status: "degraded", reason: "webhook_failing" }
        )
      }
    })
    harness.telegram.advance(6000)
    for (const person of people) await saidAtLeast(harness, bot, person, 1)
    await until("Telegram to have all answers", () => harness.telegram.pendingUpdates(bot).length === 0)
    assert.deepStrictEqual([(await probe(id)).status, (await probe(id)).status], ["degraded", "active"])
    assert.deepStrictEqual(await operations(id), ["bot.active", "bot.degraded", "bot.recovered"])
  })
})

describe("a bot that Telegram has suspended", () => {
  it("is degraded, its app is told, and its messages wait", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.freeze(bot)
    harness.telegram.start(person, bot)
    const frozen = await until("the bot to be degraded", async () => {
      const { data } = (await harness.app.get(`/v1/telegram/bots/${id}`)).body
      return data.status === "degraded" && data
    })
    assert.strictEqual(frozen.reason, "frozen")
    assert.deepStrictEqual(await operations(id), ["bot.active", "bot.degraded"])
    harness.telegram.freeze(bot, false)
    await saidAtLeast(harness, bot, person, 1)
  })
})

describe("a bot with updates that were set aside", () => {
  it("is told so by its next probe", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const { sql } = harness.server.database
    const raw = {
      update_id: 3_900_000_000,
      message: {
        message_id: 9000,
        date: 1,
        chat: { id: person.id, type: "private", first_name: "Anna" },
        from: person.user,
        text: "Hello?"
      }
    }
    await sql`insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, sender_id, message_id,
      due_at, raw)
      values (${harness.app.appId}, ${id},
        ${raw.update_id}, 'text', ${person.id}, ${person.id}, 9000, 'infinity', ${JSON.stringify(raw)}::text::json)`
    assert.deepInclude(await probe(id), { status: "active" })
    assert.lengthOf(await saidAtLeast(harness, bot, person, 2), 2)
  })
})

describe("a bot whose owner has renamed it", () => {
  it("is known by its new name within a day", async () => {
    const { bot, id } = await harness.attach()
    const { sql } = harness.server.database
    const rename = (name: string) => sql`update telegram_bots set username = ${name} where channel_id = ${id}`
    await rename("old_name_bot")
    assert.strictEqual((await probe(id)).username, bot.username)
    await rename("old_name_bot")
    assert.strictEqual((await probe(id)).username, "old_name_bot")
    await sql`update telegram_bots set health = health || '{"identified_at":"2020-01-01T00:00:00.000Z"}'
      where channel_id = ${id}`
    assert.strictEqual((await probe(id)).username, bot.username)
  })
})

describe("a server with a new address", () => {
  it("has the webhooks of its bots and of its manager bot moved to it", async () => {
    const database = await createTestDatabase()
    const manager = harness.telegram.createBot({ can_manage_bots: true })
    const env = { TELEGRAM_API_ROOT: harness.telegram.url, TELEGRAM_MANAGER_TOKEN: manager.token }
    try {
      const old = await startTestServer({ database, env })
      const app = await old.createApp()
      const bot = harness.telegram.createBot()
      const { id } = (
        await app.post("/v1/telegram/bots", {
          mode: "byo",
          token: bot.token,
          character_slug: await app.createCharacter()
        })
      ).body.data
      assert.strictEqual((await webhookOf(bot)).url, `${old.baseUrl}/v1/telegram/hooks/${id}`)
      assert.strictEqual(
        (await app.post("/v1/telegram/bots", { mode: "managed", character_slug: await app.createCharacter() })).status,
        200
      )
      assert.strictEqual((await webhookOf(manager)).url, `${old.baseUrl}/v1/telegram/hooks/manager`)
      await old.close()
      harness.telegram.advance(2000)
      const moved = await startTestServer({ database, env: { ...env, PUBLIC_URL: "https://moved.example" } })
      await database.sql`update telegram_bots set probe_due_at = now()`
      await database.sql`select graphile_worker.add_job('probe', '{}'::json)`
      await until(
        "the webhook to move",
        async () => (await webhookOf(bot)).url === `https://moved.example/v1/telegram/hooks/${id}`
      )
      await database.sql`select graphile_worker.add_job('manager', '{}'::json)`
      await until(
        "the manager's webhook to move",
        async () => (await webhookOf(manager)).url === "https://moved.example/v1/telegram/hooks/manager"
      )
      await until(
        "the row to show it",
        async () =>
          (
            await database.sql`
              select 1 from telegram_bots where status = 'active' and webhook_url like 'https://moved.example/%'`
          ).length === 1
      )
      await moved.close()
    } finally {
      await database.drop()
    }
  })
})

describe("the health of a bot", () => {
  it("includes how long Telegram takes", async () => {
    const { bot, id } = await harness.attach()
    const detail = async () => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data
    assert.deepStrictEqual((await detail()).send_latency_ms, { p50: null, p95: null })
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const { p50, p95 } = await until("a figure", async () => {
      const { send_latency_ms } = await detail()
      return send_latency_ms.p50 !== null && send_latency_ms
    })
    assert.isAbove(p50, 0)
    assert.isAtLeast(p95, p50)
  })
})
