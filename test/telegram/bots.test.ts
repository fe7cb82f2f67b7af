import type { WebhookInfo } from "@grammyjs/types"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { randomUUID } from "node:crypto"
import { menusOf } from "#channels/telegram/commands.ts"
import { pictureOf } from "#test/support/files/images.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { menusIn } from "#test/support/telegram/menusIn.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
beforeAll(async () => {
  harness = await startTelegramHarness()
})
afterAll(() => harness.close())

const create = async (fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  harness.app.post(
    "/v1/telegram/bots",
    { mode: "byo", character_slug: await harness.app.createCharacter(), ...fields },
    headers
  )
const webhookOf = async (token: string) =>
  ((await (await fetch(`${harness.telegram.url}/bot${token}/getWebhookInfo`)).json()) as { result: WebhookInfo }).result

describe("an attached bot", () => {
  it("is read, listed, changed and detached; its token is never shown", async () => {
    const { bot, id, body } = await harness.attach()
    const { character_slug: _, created_at: __, webhook, ...rest } = body
    assert.deepStrictEqual(rest, {
      id,
      mode: "byo",
      status: "active",
      reason: null,
      held: false,
      telegram_user_id: bot.id,
      username: bot.username,
      owner_ref: null,
      url: `https://t.me/${bot.username}`,
      token_hint: `${bot.id}:...${bot.token.slice(-4)}`,
      unknown_policy: "skip",
      join_window_ms: 0,
      drafts: false,
      last_in_at: null
    })
    assert.isNotNull(webhook.set_at)
    assert.deepInclude((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data, {
      id,
      chats: 0,
      unknown_24h: 0,
      blocked_until: null
    })
    assert.isTrue(
      (await harness.app.get("/v1/telegram/bots?limit=100")).body.data.bots.some(
        (each: { id: string }) => each.id === id
      )
    )
    const other = await harness.app.createCharacter()
    const changed = (
      await harness.app.patch(`/v1/telegram/bots/${id}`, {
        character_slug: other,
        unknown_policy: "resend_marked",
        join_window_ms: 5000,
        drafts: true
      })
    ).body.data
    assert.deepInclude(changed, {
      character_slug: other,
      unknown_policy: "resend_marked",
      join_window_ms: 5000,
      drafts: true
    })
    assert.include((await webhookOf(bot.token)).url, `/v1/telegram/hooks/${id}`)
    assert.deepStrictEqual((await harness.app.delete(`/v1/telegram/bots/${id}`)).body.data, { id, deleted: true })
    assert.strictEqual((await webhookOf(bot.token)).url, "")
    for (const answer of [
      await harness.app.get(`/v1/telegram/bots/${id}`),
      await harness.app.delete(`/v1/telegram/bots/${id}`),
      await harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})
    ]) {
      assert.strictEqual(answer.body.detail.code, "bot_not_found")
    }
    assert.strictEqual((await create({ token: bot.token })).status, 200)
  })

  it("belongs to one app, and looks missing to others", async () => {
    const { id } = await harness.attach()
    const other = await harness.server.createApp()
    for (const [method, path, body] of [
      ["GET", ""],
      ["PATCH", "", { join_window_ms: 1 }],
      ["PATCH", "", { join_window_ms: -1 }],
      ["DELETE", ""],
      ["GET", "/chats"],
      ["GET", "/chats?limit=0"],
      ["POST", "/suspend", {}],
      ["POST", "/links", {}]
    ] as const) {
      const answers = await Promise.all(
        [id, newId("bot"), "bot_x"].map((each) => other.request(method, `/v1/telegram/bots/${each}${path}`, body))
      )
      assert.deepStrictEqual(
        answers.map(({ status, body }) => `${status} ${body.detail.code}`),
        Array.from({ length: 3 }, () => "404 bot_not_found"),
        `${method} ${path}`
      )
    }
  })

  it("is attached once under one Idempotency-Key", async () => {
    const bot = harness.telegram.createBot()
    const headers = { "idempotency-key": randomUUID() }
    const fields = { token: bot.token, character_slug: await harness.app.createCharacter() }
    const [first, second] = [await create(fields, headers), await create(fields, headers)]
    assert.strictEqual(second.body.data.id, first.body.data.id)
    assert.isTrue(second.body.data.idempotent_replay)
    assert.lengthOf(harness.telegram.calls({ bot, method: "setWebhook" }), 1)
  })
})

describe("a bot is not attached", () => {
  it("with an invalid token, which is detected without a network call", async () => {
    const before = harness.telegram.calls({ method: "getMe" }).length
    for (const token of [
      "x",
      "123:short",
      "abc:AAEhBOweik6ad6PsVuI3IYVqUzhG0sNmUJQ",
      ` ${"1".repeat(9)}:${"A".repeat(35)}`,
      "1:../../getMe"
    ]) {
      const { status, body } = await create({ token })
      assert.strictEqual(`${status} ${body.detail.code}`, "422 telegram_token_invalid", token)
    }
    assert.lengthOf(harness.telegram.calls({ method: "getMe" }), before)
  })

  it("with a token that Telegram rejects, and the response does not repeat it", async () => {
    const token = `987654321:${"B".repeat(35)}`
    const { status, body } = await create({ token })
    assert.strictEqual(`${status} ${body.detail.code}`, "422 telegram_token_invalid")
    assert.notInclude(JSON.stringify(body), token)
  })

  it("twice, here or in another app, however many requests come at once", async () => {
    const bot = harness.telegram.createBot()
    const other = await harness.server.createApp()
    const slugs = [await harness.app.createCharacter(), await other.createCharacter()]
    const answers = await Promise.all(
      [0, 1, 0, 1, 0].map((n) =>
        (n === 0 ? harness.app : other).post("/v1/telegram/bots", {
          mode: "byo",
          token: bot.token,
          character_slug: slugs[n]
        })
      )
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
    assert.strictEqual(answers.find(({ status }) => status === 409)?.body.detail.code, "telegram_bot_taken")
  })

  it("over another system's webhook, unless takeover is set", async () => {
    const bot = harness.telegram.createBot()
    await fetch(`${harness.telegram.url}/bot${bot.token}/setWebhook?url=https://example.com/hook`)
    const { status, body } = await create({ token: bot.token })
    assert.strictEqual(`${status} ${body.detail.code}`, "409 telegram_webhook_foreign")
    assert.strictEqual((await webhookOf(bot.token)).url, "https://example.com/hook")
    assert.strictEqual((await create({ token: bot.token, takeover: true })).body.data.status, "active")
  })

  it("by a probe while the request that attaches it waits for Telegram", async () => {
    const bot = harness.telegram.createBot()
    await fetch(`${harness.telegram.url}/bot${bot.token}/setWebhook?url=https://example.com/hook`)
    // Telegram refuses a second setWebhook within a second, so the request waits.
    harness.telegram.fault(
      { bot, method: "setWebhook" },
      { kind: "error", code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } }
    )
    const creating = create({ token: bot.token, takeover: true })
    await until("the request to wait", () => harness.telegram.calls({ bot, method: "setWebhook" }).length >= 2)
    const { sql } = harness.server.database
    const [job] = await sql<[{ id: string }]>`select (graphile_worker.add_job('probe', '{}'::json)).id::text`
    await until(
      "the probe",
      async () => (await sql`select 1 from graphile_worker.jobs where id = ${job.id}`).length === 0
    )
    assert.strictEqual((await creating).body.data.status, "active")
    assert.lengthOf(harness.telegram.calls({ bot, method: "setWebhook" }), 3)
  })

  it("while Telegram is unreachable", async () => {
    const bot = harness.telegram.createBot()
    harness.telegram.fault({ bot, method: "getMe" }, { kind: "html502" })
    const { status, body } = await create({ token: bot.token })
    assert.strictEqual(`${status} ${body.detail.code}`, "502 upstream_failed")
    assert.notInclude(JSON.stringify(body), bot.token)
  })

  it("to a character that is missing or archived", async () => {
    const bot = harness.telegram.createBot()
    const archived = await harness.app.createCharacter()
    await harness.app.delete(`/v1/characters/${archived}`)
    assert.strictEqual(
      (await create({ token: bot.token, character_slug: "nobody" })).body.detail.code,
      "character_not_found"
    )
    assert.strictEqual(
      (await create({ token: bot.token, character_slug: archived })).body.detail.code,
      "character_archived"
    )
    assert.isEmpty(harness.telegram.calls({ bot }))
  })
})

describe("the profile of a bot that an app brings", () => {
  const BIO = "Keeps a kitchen by the harbour."

  it("has the commands and the description when it is attached; its name and its picture stay", async () => {
    const character_slug = await harness.app.createCharacter({ visible_bio: BIO })
    const content_base64 = (await pictureOf("png", 300, 200)).toString("base64")
    await harness.app.post(`/v1/characters/${character_slug}/assets`, {
      kind: "avatar",
      is_primary: true,
      content_base64
    })
    const bot = harness.telegram.createBot({ name: "Chosen by its owner" })
    await harness.attach({ character_slug }, bot)
    assert.deepStrictEqual(menusIn(bot), menusOf([], new Map()))
    assert.deepStrictEqual([bot.profile.descriptions.get(""), bot.profile.shortDescriptions.get("")], [BIO, BIO])
    assert.strictEqual(bot.profile.names.get(""), "Chosen by its owner")
    assert.isUndefined(bot.profile.photo)
  })

  it("is set by a later probe if Telegram was not ready to take it, and the bot says so until then", async () => {
    const character_slug = await harness.app.createCharacter({ visible_bio: BIO })
    const bot = harness.telegram.createBot()
    const refusal = harness.telegram.fault({ bot, method: "setMyDescription", count: 1000 }, { kind: "html502" })
    const { id, body } = await harness.attach({ character_slug }, bot)
    assert.deepInclude(body, { status: "degraded", reason: "profile_incomplete" })
    refusal.remove()
    await harness.server.database.sql`update telegram_bots set profile_due_at = now() where channel_id = ${id}`
    assert.deepInclude((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data, {
      status: "active",
      reason: null
    })
    assert.strictEqual(bot.profile.descriptions.get(""), BIO)
  })

  it("is also set for the bots of a batch", async () => {
    const character_slug = await harness.app.createCharacter({ visible_bio: BIO })
    const bot = harness.telegram.createBot()
    await harness.app.post("/v1/telegram/batches", { action: "attach", bots: [{ token: bot.token, character_slug }] })
    await until("the description", () => bot.profile.descriptions.get("") === BIO)
    assert.deepStrictEqual(menusIn(bot), menusOf([], new Map()))
  })
})

describe("a bot whose webhook could not be set", () => {
  it("is pending, tells Telegram to retry, and becomes active with the next probe", async () => {
    const bot = harness.telegram.createBot()
    harness.telegram.fault(
      { bot, method: "setWebhook" },
      { kind: "error", code: 400, description: "Bad Request: bad webhook: an HTTPS URL must be provided for webhook" }
    )
    const { body } = await create({ token: bot.token })
    assert.deepInclude(body.data, { status: "pending", reason: "webhook_not_set" })
    const early = await fetch(`${harness.server.baseUrl}/v1/telegram/hooks/${body.data.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}"
    })
    assert.strictEqual(early.status, 401)
    const probed = await harness.app.post(`/v1/telegram/bots/${body.data.id}/probe`, {})
    assert.strictEqual(probed.status, 200, JSON.stringify(probed.body))
    assert.deepInclude(probed.body.data, { status: "active", reason: null })
  })

  it("with a new token, after the old one was revoked, is pending until the next probe", async () => {
    const { bot, id } = await harness.attach()
    harness.telegram.revokeToken(bot)
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data.status, "revoked")
    harness.telegram.advance(2000)
    harness.telegram.fault({ bot, method: "setWebhook" }, { kind: "html502" })
    const { body } = await harness.app.patch(`/v1/telegram/bots/${id}`, { token: bot.token })
    assert.deepInclude(body.data, { status: "pending", reason: "webhook_not_set" })
    const { sql } = harness.server.database
    await sql`update telegram_bots set probe_due_at = now() where channel_id = ${id}`
    await sql`select graphile_worker.add_job('probe', '{}'::json)`
    await until(
      "it to be active",
      async () => (await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status === "active"
    )
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
  })
})

describe("a probe", () => {
  it("restores a webhook that somebody else has replaced, once; the second time the bot is degraded", async () => {
    const { bot, id } = await harness.attach()
    const hijack = () => fetch(`${harness.telegram.url}/bot${bot.token}/setWebhook?url=https://example.com/stolen`)
    harness.telegram.advance(2000)
    await hijack()
    harness.telegram.advance(2000)
    const first = (await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data
    assert.deepInclude(first, { status: "degraded", reason: "webhook_hijacked" })
    assert.include((await webhookOf(bot.token)).url, id)
    harness.telegram.advance(2000)
    await hijack()
    await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
    assert.strictEqual((await webhookOf(bot.token)).url, "https://example.com/stolen")
    const events = (await harness.app.get("/v1/delivery/events")).body.data.events.filter(
      (event: LogEvent) => event.payload.bot_id === id
    )
    assert.deepStrictEqual(
      events.map((event: LogEvent) => event.type),
      ["bot.active", "bot.degraded"]
    )
    harness.telegram.advance(2000)
    await harness.app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})
    assert.include((await webhookOf(bot.token)).url, id)
  })

  it("restores the list of update types", async () => {
    const { bot, id } = await harness.attach()
    const { url } = await webhookOf(bot.token)
    harness.telegram.advance(2000)
    await fetch(
      `${harness.telegram.url}/bot${bot.token}/setWebhook?url=${encodeURIComponent(url ?? "")}&allowed_updates=["poll"]`
    )
    harness.telegram.advance(2000)
    assert.deepInclude((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data, { status: "active" })
    assert.isTrue((await webhookOf(bot.token)).allowed_updates?.includes("message"))
  })

  it("revokes a bot whose token is invalid", async () => {
    const { bot, id } = await harness.attach()
    harness.telegram.revokeToken(bot)
    assert.deepInclude((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data, {
      status: "revoked",
      reason: "token_rejected"
    })
    const wrong = await harness.app.patch(`/v1/telegram/bots/${id}`, { token: harness.telegram.createBot().token })
    assert.strictEqual(`${wrong.status} ${wrong.body.detail.code}`, "422 telegram_token_invalid")
  })
})

describe("a bot whose token turns out to be invalid while its webhook is set", () => {
  it("is revoked, and its app is told", async () => {
    const { bot, id } = await harness.attach()
    harness.telegram.fault({ bot, method: "setWebhook" }, { kind: "error", code: 401, description: "Unauthorized" })
    harness.telegram.advance(2000)
    await harness.app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status, "revoked")
    const { events } = (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data
    assert.deepStrictEqual(
      events.flatMap(({ type, payload }: LogEvent) => (payload["bot_id"] === id ? [type] : [])),
      ["bot.active", "bot.revoked"]
    )
  })
})

describe("a bot that got a new token while its webhook was being set with the old one", () => {
  it("is not revoked because of the old token", async () => {
    const { bot, id } = await harness.attach()
    harness.telegram.advance(2000)
    harness.telegram.fault(
      { bot, method: "setWebhook" },
      { kind: "error", code: 401, description: "Unauthorized", afterMs: 1000 }
    )
    const before = harness.telegram.calls({ bot, method: "setWebhook" }).length
    const registrar = harness.app.post(`/v1/telegram/bots/${id}/rotate-secret`, {})
    await until(
      "the setWebhook call to be in flight",
      () => harness.telegram.calls({ bot, method: "setWebhook" }).length > before
    )
    harness.telegram.revokeToken(bot)
    assert.strictEqual(
      (await harness.app.patch(`/v1/telegram/bots/${id}`, { token: bot.token })).body.data.status,
      "active"
    )
    await registrar
    assert.strictEqual((await harness.app.get(`/v1/telegram/bots/${id}`)).body.data.status, "active")
  })
})

describe("a bot that is detached while people write to it", () => {
  it("ends permanently, answers nobody, and drops incoming messages", async () => {
    const { bot, id } = await harness.attach()
    const people = Array.from({ length: 6 }, () => harness.telegram.createUser({ first_name: "Anna" }))
    for (const person of people) harness.telegram.start(person, bot)
    await until("some to be met", async () => (await harness.chatsOf(id)).length > 0)
    for (const person of people) harness.telegram.say(person, bot, "Who are you?")
    assert.strictEqual((await harness.app.delete(`/v1/telegram/bots/${id}`)).status, 200)
    const { sql } = harness.server.database
    await until(
      "what was under way to end",
      async () =>
        (
          await sql`
            select 1 from telegram_updates where channel_id = ${id} and owner is not null
            union all select 1 from lanes where channel_id = ${id} and owner is not null`
        ).length === 0
    )
    const calls = harness.telegram.calls({ bot }).length
    await until("the lanes to end", async () => (await sql`select 1 from lanes where channel_id = ${id}`).length === 0)
    assert.isEmpty(
      await sql`select 1 from telegram_bots where channel_id = ${id} and (status <> 'detached' or token is not null)`
    )
    assert.isEmpty(
      harness.telegram
        .calls({ bot })
        .slice(calls)
        .filter(({ method }) => method === "sendMessage")
    )
    assert.isEmpty(await sql`select 1 from telegram_updates where channel_id = ${id} and error is not null`)
  })
})

describe("a bot whose webhook no longer accepts Telegram's secret", () => {
  it("has its webhook set again by the next probe, and receives the messages that were sent meanwhile", async () => {
    const { bot, id } = await harness.attach()
    await harness.server.database.sql`
        update telegram_bots set secret_hash = sha256('another'), previous_secret_hash = null where channel_id = ${id}`
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await until("Telegram to be rejected", () =>
      harness.telegram.deliveries(bot).some(({ outcome }) => outcome === 401)
    )
    harness.telegram.advance(2000)
    assert.deepInclude((await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})).body.data, { status: "active" })
    harness.telegram.advance(60_000)
    await saidAtLeast(harness, bot, person, 1)
  })
})

describe("a bot whose token cannot be decrypted", () => {
  it("does not prevent others from being probed", async () => {
    const { sql } = harness.server.database
    const [locked, well] = [await harness.attach(), await harness.attach()]
    await sql`update telegram_bots set token = 'nonsense', probe_due_at = now() - interval '1 hour'
      where channel_id = ${locked.id}`
    await sql`update telegram_bots set probe_due_at = now() - interval '1 minute' where channel_id = ${well.id}`
    const others = await Promise.all(Array.from({ length: 6 }, () => harness.attach()))
    await sql`update telegram_bots set probe_due_at = now() - interval '30 minutes'
      where channel_id = any(${others.map(({ id }) => id)})`
    await sql`select graphile_worker.add_job('probe', '{}'::json)`
    const probed = async () =>
      (
        await sql`select 1 from telegram_bots
          where channel_id = any(${[well, ...others].map(({ id }) => id)}) and health ? 'probed_at'`
      ).length
    await until("the probes", async () => (await probed()) === 7)
    assert.isFalse(
      (await sql`select health ? 'probed_at' as is_known from telegram_bots where channel_id = ${locked.id}`)[0]?.[
        "is_known"
      ]
    )
  })
})

describe("a suspended bot", () => {
  it("stores what people write, sends nothing, and continues when it is resumed", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/suspend`, {})).body.data.status, "suspended")
    harness.telegram.say(person, bot, "Anybody there?")
    await until(
      "the update to be stored",
      async () =>
        (await harness.server.database.sql`select 1 from telegram_updates where channel_id = ${id} and kind = 'text'`)
          .length === 1
    )
    await until("Telegram to get its confirmation", () => harness.telegram.pendingUpdates(bot).length === 0)
    const [held] = await harness.server.database
      .sql`select done_at from telegram_updates where channel_id = ${id} and kind = 'text'`
    assert.isNull(held?.["done_at"])
    harness.telegram.advance(2000)
    assert.strictEqual((await harness.app.post(`/v1/telegram/bots/${id}/resume`, {})).body.data.status, "active")
    await saidAtLeast(harness, bot, person, 2)
  })
})

describe("a bot's token and secret", () => {
  it("are in no row in plain text, in no job and in no response", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const [set] = harness.telegram.calls({ bot, method: "setWebhook" })
    const secret = String(set?.parameters["secret_token"])
    const { sql } = harness.server.database
    const names =
      await sql`select table_schema, table_name from information_schema.tables where table_type = 'BASE TABLE'
        and table_schema in ('public', 'graphile_worker')`
    const texts = await Promise.all(
      names.map(({ table_schema, table_name }) =>
        sql.unsafe(`select coalesce(string_agg(t::text, ' '), '') as text from "${table_schema}"."${table_name}" t`)
      )
    )
    const everything = texts.map(([row]) => row?.["text"]).join("\n")
    assert.include(everything, id)
    const half = bot.token.split(":")[1] ?? ""
    for (const hidden of [bot.token, half, secret]) {
      for (const spelling of [hidden, Buffer.from(hidden).toString("hex"), Buffer.from(hidden).toString("base64")])
        assert.notInclude(everything, spelling)
    }
  })
})
