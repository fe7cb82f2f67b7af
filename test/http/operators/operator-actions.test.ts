import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorIn } from "#test/support/createOperatorIn.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let harness: TelegramHarness
let operator: TestApp
let receiver: Receiver
let isBroken = true
beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    response.writeHead(isBroken && path.startsWith("/broken") ? 400 : 200).end()
  })
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = await createOperatorIn(harness.server, "operator")
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const sql = () => harness.server.database.sql
/** Telegram lets a bot's webhook be set once a second, and says so. */
const postWhenAllowed = (path: string) =>
  until("Telegram to allow it", async () => {
    const { status, body } = await operator.post(path, {})
    if (status === 502 && /Too Many Requests/.test(body.detail.message)) return undefined
    assert.strictEqual(status, 200, `${path} ${JSON.stringify(body)}`)
    return body.data
  })
const post = async (path: string, body?: object) => {
  const answer = await operator.post(path, body)
  assert.strictEqual(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}
const data = async (path: string) => (await operator.get(path)).body.data
const refusal = async (path: string, body?: object) => {
  const { status, body: answer } = await operator.post(path, body)
  return [status, answer.detail?.code]
}
const audited = async (subject: string) =>
  (await sql()`select action, detail from audit_log where subject = ${subject} order by entry_id`).map(
    ({ action, detail }) => ({ action, detail })
  )
const completed = (id: string) =>
  until("the batch to complete", async () => {
    const batch = await data(`/admin/batches/${id}`)
    return batch.status === "completed" && batch
  })

/** A new app with this many bots. */
const fleet = async (bots: number) => {
  const app = await harness.server.createApp()
  const character_slug = await app.createCharacter({ greeting: "Come in." })
  const ids: Array<string> = []
  for (let n = 0; n < bots; n++) {
    const bot = harness.telegram.createBot()
    const { body } = await app.post("/v1/telegram/bots", {
      mode: "byo",
      token: bot.token,
      join_window_ms: 0,
      character_slug
    })
    ids.push(body.data.id)
  }
  return { app, ids }
}

describe("a batch over a filter", () => {
  it("suspends and resumes 200 bots of 30 apps after a preview, with an outcome for each", async () => {
    const apps = await Promise.all(Array.from({ length: 30 }, (_, n) => fleet(n < 20 ? 7 : 6)))
    const ids = apps.flatMap((one) => one.ids)
    assert.lengthOf(ids, 200)
    const statuses = async () =>
      Object.fromEntries(
        (
          await sql()`select status, count(*)::int as n from telegram_bots where channel_id = any(${ids}::text[])
          group by status`
        ).map(({ status, n }) => [status, n])
      )
    const filter = { state: ["active"] }
    const preview = await post("/admin/bots/batches", { action: "suspend", filter, dry_run: true })
    assert.deepInclude(preview.selection, { bots: 200, apps: 30, statuses: { active: 200 } })
    assert.lengthOf(preview.selection.sample, 20)
    assert.deepStrictEqual(await statuses(), { active: 200 })
    assert.deepStrictEqual(await refusal("/admin/bots/batches", { action: "suspend", filter, expected_bots: 199 }), [
      409,
      "selection_changed"
    ])
    const batch = await post("/admin/bots/batches", { action: "suspend", filter, reason: "Spam", expected_bots: 200 })
    assert.deepInclude(batch, { action: "suspend", total: 200 })
    assert.deepInclude(await completed(batch.id), { done: 200, failed: 0 })
    assert.deepStrictEqual(await statuses(), { suspended: 200 })

    const [one] = apps
    const [first = ""] = one?.ids ?? []
    for (const action of ["resume", "suspend"])
      assert.deepStrictEqual(
        (await one?.app.post(`/v1/telegram/bots/${first}/${action}`, undefined))?.body.detail?.code,
        "bot_status_conflict"
      )
    const own = await one?.app.post("/v1/telegram/batches", { action: "resume", bot_ids: [first] })
    await until("the app's own batch", async () => {
      const { body } = (await one?.app.get(`/v1/telegram/batches/${own?.body.data.id}/items`)) ?? {}
      return body?.data.items[0].error_code === "bot_status_conflict"
    })

    const back = await post("/admin/bots/batches", { action: "resume", filter: { reason: "operator" } })
    assert.deepInclude(await completed(back.id), { total: 200, done: 200, failed: 0 })
    assert.deepStrictEqual(await statuses(), { active: 200 })
    const { items, next_cursor } = await data(`/admin/batches/${back.id}/items?limit=100`)
    assert.lengthOf(items, 100)
    assert.isString(next_cursor)
    assert.deepInclude(items[0], { place: 1, status: "done", error_code: null })
    const [entry] = await audited(batch.id)
    assert.strictEqual(entry?.action, "bots.batch_started")
    assert.deepInclude(entry?.detail, { action: "suspend", reason: "Spam", bots: 200 })
  })

  it("reports what is wrong with a request", async () => {
    for (const body of [
      { action: "suspend", filter: {} },
      { action: "delete", filter: { all: true } },
      { action: "suspend" },
      { action: "suspend", filter: { state: [] } },
      { action: "suspend", filter: { all: true }, reason: " " }
    ])
      assert.deepStrictEqual(await refusal("/admin/bots/batches", body), [422, "validation_error"])
    const absent = "bat_01ARZ3NDEKTSV4RRFFQ69G5FAV"
    for (const path of [`/admin/batches/${absent}`, `/admin/batches/${absent}/items`, "/admin/batches/x"])
      assert.strictEqual((await operator.get(path)).body.detail.code, "batch_not_found")
    const none = await post("/admin/bots/batches", { action: "probe", filter: { app_id: "app_nobody" } })
    assert.deepInclude(none, { total: 0, status: "completed" })
  })
})

describe("an action on one bot", () => {
  it("suspends, resumes, probes, rotates and rebrands it, and is in the audit log", async () => {
    const { bot, id } = await harness.attach()
    const person = harness.telegram.createUser()
    harness.telegram.start(person, bot)
    await saidAtLeast(harness, bot, person, 1)
    assert.deepInclude(await post(`/admin/bots/${id}/suspend`, { reason: "Spam" }), {
      status: "suspended",
      reason: "operator"
    })
    assert.deepStrictEqual(await refusal(`/admin/bots/${id}/probe`), [409, "bot_status_conflict"])
    assert.deepInclude(await postWhenAllowed(`/admin/bots/${id}/resume`), { status: "active", reason: null })
    assert.isString((await postWhenAllowed(`/admin/bots/${id}/probe`)).telegram.probed_at)
    const secrets = () => harness.telegram.calls({ bot, method: "setWebhook" }).length
    const before = secrets()
    await postWhenAllowed(`/admin/bots/${id}/rotate-secret`)
    assert.isAbove(secrets(), before)
    await post(`/admin/bots/${id}/rebrand`)
    assert.deepStrictEqual(await refusal(`/admin/bots/${id}/rotate-token`), [409, "bot_not_managed"])
    const entries = await audited(id)
    assert.deepStrictEqual(
      entries.map(({ action }) => action).filter((action) => action.startsWith("bot.")),
      ["bot.suspended", "bot.resumed", "bot.probed", "bot.secret_rotated", "bot.rebranded"]
    )
    assert.deepStrictEqual(entries[0]?.detail, {
      reason: "Spam",
      before: { status: "active" },
      after: { status: "suspended" }
    })
    assert.deepStrictEqual(await refusal("/admin/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/suspend"), [404, "bot_not_found"])
  })
})

describe("an action on webhooks and deliveries", () => {
  it("pauses, tests, resumes and replays a webhook, and repeats what failed at a rate", async () => {
    const app = await harness.server.createApp()
    const session = await app.createSession()
    const url = new URL(`/broken/${app.appId}`, receiver.url).href
    const { id } = (await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url, retry_schedule: [1] }))
      .body.data
    await app.converse(session, "What is for dinner?")
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const filter = { channel_id: id, since }
    const failed = await until("the failed deliveries", async () => {
      const { deliveries } = await data(`/admin/deliveries?channel_id=${id}`)
      return deliveries.length >= 2 && deliveries
    })
    assert.strictEqual((await post(`/admin/channels/${id}/test`)).outcome, "not_sent")
    assert.deepInclude(await post(`/admin/channels/${id}/pause`, { reason: "Broken" }), { status: "paused" })
    assert.deepInclude(await post(`/admin/channels/${id}/resume`), { status: "active" })
    const { selection } = await post("/admin/deliveries/batches", { filter, dry_run: true })
    assert.isAtLeast(selection.deliveries, 1)
    assert.deepInclude(selection, { apps: 1, channels: 1 })
    isBroken = false
    const batch = await post("/admin/deliveries/batches", { filter, per_minute: 6000, reason: "Repaired" })
    assert.deepInclude(await completed(batch.id), { failed: 0 })
    await until("the deliveries", async () => {
      const { deliveries } = await data(`/admin/deliveries?channel_id=${id}`)
      return deliveries.every(({ delivered }: { delivered: boolean }) => delivered)
    })
    assert.strictEqual((await post("/admin/deliveries/batches", { filter, dry_run: true })).selection.deliveries, 0)
    assert.strictEqual((await post(`/admin/deliveries/${failed[0].id}/retry`)).event_id, failed[0].event_id)
    assert.deepInclude(await post(`/admin/channels/${id}/replay`, { since: 0 }), { status: "active" })
    assert.deepStrictEqual(
      (await audited(id)).map(({ action }) => action),
      ["channel.tested", "channel.paused", "channel.resumed", "channel.replayed"]
    )
    assert.deepStrictEqual((await audited(id))[1]?.detail, {
      reason: "Broken",
      before: { status: "active" },
      after: { status: "paused" }
    })
  })

  it("reports what is wrong with a request", async () => {
    const [evt, chn] = ["evt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "chn_01ARZ3NDEKTSV4RRFFQ69G5FAV"]
    for (const action of ["pause", "resume", "test"])
      assert.deepStrictEqual(await refusal(`/admin/channels/${chn}/${action}`), [404, "channel_not_found"])
    assert.deepStrictEqual(await refusal(`/admin/deliveries/${evt}-${chn}-0-1/retry`), [404, "delivery_not_found"])
    for (const body of [{ filter: {} }, { filter: { since: "2026-01-01" }, per_minute: 0 }, {}])
      assert.deepStrictEqual(await refusal("/admin/deliveries/batches", body), [422, "validation_error"])
  })
})

describe("an action on a session", () => {
  it("cancels its turn, ends it, prepares the export of its end-user and erases them", async () => {
    const app = await harness.server.createApp()
    const session = await app.createSession()
    await app.converse(session, "What is for dinner?")
    await post(`/admin/sessions/${session}/cancel-turn`, { reason: "Stuck" })
    const ended = await post(`/admin/sessions/${session}/end`, { reason: "Asked for it" })
    assert.deepInclude(ended, { status: "exited" })
    assert.strictEqual(ended.exit.reason_code, "operator")
    assert.strictEqual((await app.events(session)).at(-1)?.type, "session.exited")
    await post(`/admin/sessions/${session}/end`)
    assert.deepStrictEqual(
      (await audited(session)).map(({ action }) => action),
      ["session.turn_cancelled", "session.ended"]
    )
    assert.match((await post(`/admin/sessions/${session}/export`)).export_id, /^exp_/)
    const { erasure_id } = await post(`/admin/sessions/${session}/erase`)
    await until("the erasure", async () => (await app.get(`/v1/sessions/${session}`)).status === 404)
    assert.strictEqual((await audited(erasure_id))[0]?.action, "end_user.erased")
    for (const action of ["cancel-turn", "end", "export", "erase"])
      assert.deepStrictEqual(await refusal(`/admin/sessions/${session}/${action}`), [404, "session_not_found"])
  })
})

describe("an action on an app", () => {
  it("creates it, changes its budget and revokes its keys", async () => {
    const made = await post("/admin/apps", { name: "made by an operator", monthly_budget_usd: 5 })
    assert.match(made.api_key, /^ck_/)
    const caps = await operator.patch(`/admin/apps/${made.app_id}/caps`, { daily_budget_usd: 1 })
    assert.deepInclude(caps.body.data.caps, { daily_budget_usd: 1, monthly_budget_usd: 5 })
    const { api_keys } = await data(`/admin/apps/${made.app_id}/api-keys`)
    assert.deepStrictEqual(
      api_keys.map(({ prefix, status }: { prefix: string; status: string }) => [prefix, status]),
      [[made.key_prefix, "active"]]
    )
    const keys = `/admin/apps/${made.app_id}/api-keys`
    assert.deepInclude(await post(`${keys}/${made.key_prefix}/revoke`), { status: "revoked" })
    assert.deepStrictEqual(await refusal(`${keys}/ck_nobody/revoke`), [404, "api_key_not_found"])
    for (const action of ["suspend", "resume"])
      assert.deepStrictEqual(await refusal(`/admin/apps/app_01ARZ3NDEKTSV4RRFFQ69G5FAV/${action}`), [
        404,
        "app_not_found"
      ])
    assert.deepStrictEqual(await refusal("/admin/apps", { name: " " }), [422, "validation_error"])
  })

  it("holds and releases the bots of an app", async () => {
    const app = await harness.server.createApp()
    const { holds } = await post("/admin/holds", { app_id: app.appId, reason: "Spam" })
    assert.deepInclude(holds[0], { app_id: app.appId, reason: "Spam" })
    assert.lengthOf((await data("/admin/holds")).holds, 1)
    assert.deepStrictEqual((await post("/admin/holds/release", { app_id: app.appId })).holds, [])
    assert.deepStrictEqual(await refusal("/admin/holds", { app_id: "app_nobody" }), [404, "app_not_found"])
    assert.deepStrictEqual(await refusal("/admin/holds", {}), [422, "validation_error"])
  })
})
