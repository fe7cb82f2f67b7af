import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { LogEvent } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver(status(200))
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

describe("a payment to an app's bot", () => {
  const started = async () => {
    const attached = await harness.attach()
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, attached.bot)
    await saidAtLeast(harness, attached.bot, person, 1)
    return { ...attached, person, session: (await harness.chatsOf(attached.id))[0]?.session_id }
  }
  const told = (type: string, id: string) =>
    until(type, async () => {
      const { events } = (await harness.app.get("/v1/delivery/events?since=0&limit=200")).body.data
      return events.find((event: LogEvent) => event.type === type && event.payload["channel_id"] === id)?.payload
    })
  const answer = async (id: string, fields: object) => {
    const { status, body } = await harness.app.post(`/v1/telegram/bots/${id}/answer-pre-checkout`, fields)
    return status === 200 ? body.data : `${status} ${body.detail.code}`
  }

  it("waits for the app's answer, which is passed on once", async () => {
    const { bot, id, person, session } = await started()
    const query = harness.telegram.pay(person, bot, { amount: 50, payload: "order-7" })
    assert.deepStrictEqual(await told("payment.pre_checkout", id), {
      channel_id: id,
      session_id: session,
      telegram_user_id: person.id,
      query_id: query,
      currency: "XTR",
      total_amount: 50,
      invoice_payload: "order-7"
    })
    assert.deepInclude(await answer(id, { query_id: query, ok: true }), { query_id: query, ok: true })
    assert.deepStrictEqual(harness.telegram.preCheckoutAnswer(query), { ok: true, errorMessage: "" })
    assert.strictEqual(await answer(id, { query_id: query, ok: true }), "409 pre_checkout_over")
    const refused = harness.telegram.pay(person, bot, { amount: 1, payload: "order-8" })
    await answer(id, { query_id: refused, ok: false })
    assert.deepStrictEqual(harness.telegram.preCheckoutAnswer(refused), {
      ok: false,
      errorMessage: "This payment is not possible right now."
    })
  })

  it("is reported to the app when it is completed, and gets no reply", async () => {
    const attached = await started()
    const { id, person, session } = attached
    const paid = {
      currency: "XTR",
      total_amount: 50,
      invoice_payload: "order-7",
      telegram_payment_charge_id: "charge-1",
      provider_payment_charge_id: ""
    }
    const chat = { id: person.id, type: "private" as const, first_name: "Anna" }
    await harness.hand(attached, {
      message: { message_id: 70, chat, from: person.user, date: 1, successful_payment: paid }
    })
    await harness.hand(attached, { purchased_paid_media: { from: person.user, paid_media_payload: "picture-3" } })
    await harness.hand(attached, { subscription: { user: person.user, invoice_payload: "plan-1", state: "canceled" } })
    const by = { channel_id: id, session_id: session, telegram_user_id: person.id }
    assert.deepStrictEqual(await told("payment.succeeded", id), { ...by, ...paid })
    assert.deepStrictEqual(await told("payment.paid_media", id), { ...by, paid_media_payload: "picture-3" })
    assert.deepStrictEqual(await told("payment.subscription", id), {
      ...by,
      invoice_payload: "plan-1",
      state: "canceled"
    })
    assert.isEmpty(await harness.server.database.sql`select 1 from turns where session_id = ${session ?? ""}`)
  })
})

describe("the operational log of an app", () => {
  it("exists and is empty at first, waits for new events, and belongs to one app", async () => {
    const app = await harness.server.createApp()
    assert.deepStrictEqual((await app.get("/v1/delivery/events")).body.data, {
      events: [],
      next_cursor: 0,
      has_more: false
    })
    const waiting = app.get("/v1/delivery/events?since=0&wait=20")
    const bot = harness.telegram.createBot()
    await app.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug: await app.createCharacter() })
    const { events } = (await waiting).body.data
    assert.deepStrictEqual(
      events.map((event: LogEvent) => ({
        type: event.type,
        role: event.role,
        cursor: event.cursor,
        session_id: event.session_id
      })),
      [{ type: "bot.active", role: "system", cursor: 1, session_id: app.appId }]
    )
    const other = await harness.server.createApp()
    assert.isEmpty((await other.get("/v1/delivery/events")).body.data.events)
    for (const path of [
      `/v1/sessions/${app.appId}/events`,
      `/v1/sessions/${app.appId}/events/stream`,
      `/v1/sessions/${app.appId}`
    ])
      assert.strictEqual((await app.get(path)).status, 404)
  })

  it("is pushed to the app's webhooks, to existing and to later ones", async () => {
    const app = await harness.server.createApp()
    await app.post(`/v1/apps/${app.appId}/channels`, {
      kind: "webhook",
      url: `${receiver.url}/early`,
      events: ["bot.active", "bot.revoked"]
    })
    const bot = harness.telegram.createBot()
    const { id } = (
      await app.post("/v1/telegram/bots", {
        mode: "byo",
        token: bot.token,
        character_slug: await app.createCharacter()
      })
    ).body.data
    const pushed = (path: string) =>
      receiver.requests
        .filter((request) => request.path.endsWith(path))
        .map((request) => JSON.parse(request.body.toString("utf8")).type)
    await until("the first push", () => pushed("/early").length === 1)
    await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: `${receiver.url}/late` })
    await until(
      "the late channel's lanes",
      async () => (await harness.server.database.sql`select 1 from channels where aligned_to is not null`).length === 0
    )
    harness.telegram.revokeToken(bot)
    await app.post(`/v1/telegram/bots/${id}/probe`, {})
    await until("both pushes", () => pushed("/early").length === 2 && pushed("/late").length === 1)
    assert.deepStrictEqual(pushed("/early"), ["bot.active", "bot.revoked"])
    assert.deepStrictEqual(pushed("/late"), ["bot.revoked"])
  })
})

describe("a turn that failed", () => {
  it("gets one short line in the character's voice, never a raw error, and at most one an hour", async () => {
    const { bot, id } = await harness.attach({
      character_slug: await harness.app.createCharacter({ fallback_lines: ["Hm, {{user}}. Say that again?"] })
    })
    const person = harness.telegram.createUser({ first_name: "Anna" })
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    const session = await until(
      "the session",
      async () =>
        (await harness.app.get(`/v1/telegram/bots/${id}/chats`)).body.data.chats[0]?.session_id as string | undefined
    )
    const { sql } = harness.server.database
    const fail = async () => {
      const [log] = await sql`update session_logs set last_cursor = last_cursor + 1
          where session_id = ${session} returning app_id, last_cursor::int as cursor`
      await sql`insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
        values (${log?.["app_id"]}, ${session},
          ${log?.["cursor"]}, ${`evt_f${session}${log?.["cursor"]}`}, 'message.failed', 'system', 'run_1', 'telegram',
            '{"turn_index":0,"reason":"generation_failed","recoverable":true}')`
      await sql`update lanes set head = ${log?.["cursor"]}, status = 'ready' where session_id = ${session}`
      await sql`select graphile_worker.add_job('deliver', '{}'::json)`
      await until(
        "the lane to be past it",
        async () =>
          (await sql`select 1 from lanes where session_id = ${session} and position >= ${log?.["cursor"]}`).length === 1
      )
    }
    await fail()
    await fail()
    assert.deepStrictEqual(harness.said(bot, person).slice(1), ["Hm, Anna. Say that again?"])
  })
})
