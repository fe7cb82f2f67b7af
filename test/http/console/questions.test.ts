import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-who-asks-questions"

let harness: TelegramHarness
let operator: TestApp
let receiver: Receiver
let answers = 500
beforeAll(async () => {
  receiver = await startReceiver((response, request) => status(answers)(response, request))
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(harness.server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

/** What a screen says, without its markup. */
const read = async (path: string): Promise<string> => {
  const { status: code, body } = await operator.get(path)
  assert.strictEqual(code, 200, path)
  return String(body)
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
}
const page = async (path: string): Promise<string> => String((await operator.get(path)).body)
const send = (path: string, fields: Record<string, string> = {}) =>
  fetch(harness.server.baseUrl + path, {
    method: "POST",
    redirect: "manual",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: new URLSearchParams(fields)
  })
const createNamedApp = async (name: string): Promise<TestApp> => {
  const { data } = (await operator.post("/admin/apps", { name })).body
  return new TestApp(harness.server.baseUrl, data.app_id, data.api_key)
}

describe("an operator asks the console", () => {
  it("who suspended an app and why, and is told the names of the app and of the token", async () => {
    const app = await createNamedApp("Velvet Fox")
    const { token } = (await operator.post("/admin/tokens", { name: "noras-laptop", role: "operator" })).body.data
    const nora = new TestApp(harness.server.baseUrl, "", token)
    await nora.post(`/admin/apps/${app.appId}/suspend`, { reason: "Invoice 2231 is unpaid" })
    assert.match(await read("/console"), /An app is suspended Velvet Fox .* Reason: Invoice 2231 is unpaid/)
    const screen = await page(`/console/apps/${app.appId}`)
    const [, url = ""] = /<a href="([^"]*)">Who suspended it/.exec(screen) ?? []
    assert.match(
      await read(url.replaceAll("&amp;", "&")),
      /noras-laptop op_\w+ from \S+ app suspended Velvet Fox reason Invoice 2231 is unpaid/
    )
    // It leads to other screens, and not to itself.
    assert.notInclude(screen, "Open the app")
    await operator.post(`/admin/apps/${app.appId}/resume`, {})
  })

  it("what a change was, without the fields that it left alone", async () => {
    const app = await createNamedApp("Old Tram")
    await operator.patch(`/admin/apps/${app.appId}/caps`, { daily_budget_usd: 0.35 })
    const text = await read(`/console/audit?app=${app.appId}&action=caps.updated`)
    assert.include(text, "daily budget usd 0.35 before daily budget usd: none ")
    assert.notMatch(text, /null|undefined|hard stop|rate limits/)
    assert.match(await read(`/console/audit?app=${app.appId}&action=api_key.created`), /ck_\w+ of Old Tram/)
  })

  it("what an app has spent, also without a budget, and how much of a budget is used", async () => {
    const app = await createNamedApp("Copper Kettle")
    const { sql } = harness.server.database
    await sql`insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      values (${app.appId}, 'run_x', 'image', 'settle', 2500000, 'test')`
    const screen = `/console/apps/${app.appId}`
    await until("the roll-up", async () => {
      await sql`select graphile_worker.add_job('rollup', '{}'::json, job_key := 'test')`
      return (await read(screen)).includes("$2.50 in 30 days")
    })
    assert.include(await read(screen), "Spent today $2.50 no limit Spent this month $2.50 no limit")
    await operator.patch(`/admin/apps/${app.appId}/caps`, { monthly_budget_usd: 5 })
    assert.match(await read(screen), /Spent today \$2\.50 no limit Spent this month \$2\.50 \$\d\.\d\d of \$5\.00 used/)
  })

  it("whether somebody was in danger lately, and in which conversations", async () => {
    assert.include(await read("/console"), "Nobody was in danger in the last day.")
    const app = await createNamedApp("Kindred")
    const session = await app.createSession({ external_user_ref: "in-danger" })
    const other = await app.createSession({ external_user_ref: "well" })
    await app.converse(session, "What is for dinner?")
    await app.converse(session, "My husband is hitting me and I am afraid he will kill me")
    await app.converse(other, "What is for dinner?")
    assert.include(await read("/console"), "Somebody was in danger in 1 conversation in the last day.")
    const list = await page("/console/conversations?crisis=86400")
    assert.include(list, "danger from somebody")
    assert.include(list, `/console/conversations/${session}`)
    assert.notInclude(list, `/console/conversations/${other}`)
    assert.match(
      await read(`/console/conversations/${session}`),
      /Turn 2 danger from somebody replied .* Turn 1 replied/
    )
    const since = (ms: number) => `/admin/sessions?crisis_since=${new Date(Date.now() - ms).toISOString()}`
    const ids = async (path: string) => (await operator.get(path)).body.data.sessions.map(({ id }: any) => id)
    assert.deepStrictEqual(await ids(since(3_600_000)), [session])
    assert.deepStrictEqual(await ids(since(-3_600_000)), [])
    assert.deepStrictEqual(await ids(`${since(3_600_000)}&external_user_ref=well`), [])
  })

  it("why somebody got no reply: their cap, their block, their bot, or an answer of Telegram", async () => {
    const { bot, id } = await harness.attach()
    const people = ["capped", "blocked", "refused", "left"].map((first_name) =>
      harness.telegram.createUser({ first_name, language_code: "en" })
    )
    for (const person of people) harness.telegram.say(person, bot, "What is for dinner?")
    const sessions = await until("the replies", async () => {
      const chats = await harness.chatsOf(id)
      const found = people.map(({ user }) => chats.find(({ chat_id }) => chat_id === user.id)?.session_id)
      const hasReplies = people.every((person) => harness.said(bot, person).length > 1)
      return hasReplies && found.every((session) => typeof session === "string") && (found as Array<string>)
    })
    const [capped, blocked, refused, left] = people
    const { appId } = harness.app
    const screen = (index: number) => `/console/conversations/${sessions[index]}`
    assert.notInclude(await read(screen(0)), "Why there may be no reply")
    assert.match(await read(screen(0)), /✓✓ sent after [\d.]+ m?s/)

    await operator.patch(`/admin/apps/${appId}/caps`, { default_end_user_caps: { daily_messages: 2 } })
    for (const text of ["And after that?", "And tomorrow?"]) harness.telegram.say(capped!, bot, text)
    await harness.app.waitFor(sessions[0]!, ({ type }) => type === "channel.notice")
    assert.include(await read(screen(0)), "channel notice: end user cap exceeded")
    assert.include(await read(screen(0)), "The person has used up the 2 messages that they may send today.")
    await operator.patch(`/admin/apps/${appId}/caps`, { default_end_user_caps: { daily_messages: null } })

    await harness.app.patch(`/v1/end-users/tg:${blocked!.user.id}`, { blocked: true })
    assert.include(await read(screen(1)), "The app has blocked this person.")

    harness.telegram.fault(
      { bot, chat: refused!.user.id, method: "sendMessage", count: Infinity },
      { kind: "error", code: 403, description: "Forbidden: user is deactivated", parameters: {} }
    )
    harness.telegram.say(refused!, bot, "And after that?")
    await until("the attempt", async () => {
      const { body } = await harness.app.get(`/v1/sessions/${sessions[2]}/delivery`)
      return body.data.deliveries.some(({ outcome }: any) => outcome === "not_sent")
    })
    assert.match(await read(screen(2)), /is retried 403 chat_gone/)
    assert.include(await read(screen(2)), "Telegram does not let the bot write to this chat.")
    const attempts = /href="(\/console\/deliveries\?event=evt_\w+&amp;state=any)"><span class="warn">/.exec(
      await page(screen(2))
    )
    assert.include(await read(attempts![1]!.replaceAll("&amp;", "&")), `bot @${bot.username}`)

    harness.telegram.block(left!, bot)
    await until("the block", async () =>
      (await harness.chatsOf(id)).some(({ chat_id, status: of }) => chat_id === left!.user.id && of === "blocked")
    )
    assert.include(await read(screen(3)), "The person has blocked the bot in Telegram.")

    await operator.post(`/admin/bots/${id}/suspend`, {})
    assert.include(await read(screen(3)), `@${bot.username} is suspended.`)
    await operator.post(`/admin/bots/${id}/resume`, {})
  })

  it("why a turn failed, and how the turn of a message went, however long ago it was", async () => {
    const { data } = (await new TestApp(harness.server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
    const demo = new TestApp(harness.server.baseUrl, data.app_id, data.api_key)
    const session = await demo.createSession({ character_slug: "edda-brandvik" })
    const fault = { "x-sandbox-fault": "generation_failed" }
    const { run_ref } = (await demo.send(session, "What is for dinner?", fault)).body.data
    await demo.waitFor(session, ({ type }) => type === "message.failed")
    const screen = `/console/conversations/${session}`
    assert.include(await read(screen), "message failed: generation failed ·")
    const links = async (url: string) => (await page(screen)).split(`href="${url}"`).length - 1
    // From the message and from its failure, but not from the greeting.
    assert.strictEqual(await links("#turn-1"), 2)
    assert.include(await page(screen), 'id="turn-1"')
    for (let n = 0; n < 10; n++) await demo.converse(session, `What is for dinner on day ${n}?`)
    assert.notInclude(await page(screen), 'id="turn-1"')
    assert.strictEqual(await links(`${screen}?turn=${run_ref}#turns`), 2)
    const turn = await page(`${screen}?turn=${run_ref}`)
    assert.include(turn, 'id="turn-1"')
    assert.notInclude(turn, 'id="turn-2"')
    assert.include(turn, `<a href="${screen}">The latest turns</a>`)
  })

  it("what waits for a fixed webhook, and sends it at once", async () => {
    const app = await createNamedApp("Nightdesk")
    const { data } = (
      await app.post(`/v1/apps/${app.appId}/channels`, {
        kind: "webhook",
        url: receiver.url,
        retry_schedule: [1, 1, 86_400]
      })
    ).body
    const character_slug = await app.createCharacter({ greeting: "Come in." })
    const session = await app.createSession({ character_slug })
    const path = `/console/webhooks/${data.id}`
    const stored = async () => (await app.get(`/v1/apps/${app.appId}/channels/${data.id}`)).body.data
    await until("three failures", async () => (await stored()).consecutive_failures === 3)
    const failing = await read(path)
    assert.match(failing, /Wait for a retry 1 conversation Next attempt in \d+ h/)
    // What it still is, is not all right. The attempts of the last day are counted a minute later.
    for (const text of [failing, await read(`/console/webhooks?app=${app.appId}`)]) {
      assert.include(text, "active, 3 failures in a row")
      assert.notInclude(text, "0 of 0")
    }
    assert.include(await read("/console"), `${receiver.url} of Nightdesk`)
    assert.notInclude(failing, "Open the webhook")
    assert.include(failing, "Send what waits now")
    answers = 204
    const before = receiver.requests.length
    await send(`${path}/resume`)
    await receiver.received(before)
    await until("the success", async () => {
      const { body } = await app.get(`/v1/sessions/${session}/delivery`)
      return body.data.deliveries.every(({ outcome }: any) => outcome === "sent")
    })
    assert.include(await read(path), "Wait for a retry nothing")
    assert.notInclude(await read(path), "active, ")
    assert.notInclude(await read(path), "Send what waits now")
  })

  it("why all bots are on hold, without a button that leads to where it stands", async () => {
    await send("/console/system/hold", { reason: "Maintenance 12" })
    const overview = await read("/console")
    assert.include(overview, "Reason: Maintenance 12")
    assert.include(overview, "See the holds")
    const system = await read("/console/system")
    assert.include(system, "Reason: Maintenance 12")
    assert.notInclude(system, "See the holds")
    await send("/console/system/release")
    assert.notInclude(await read("/console/system"), "Maintenance 12")
  })

  it("whether the server is behind", async () => {
    const text = await read("/console/system")
    assert.match(text, /What waits Replies, the oldest for .* \d+ open Telegram updates, the oldest for .* Jobs/)
  })
})

describe("an operator sets the token of a bot", () => {
  it("which was revoked, and the bot continues; both is in the audit log", async () => {
    const bot = harness.telegram.createBot()
    const character = await harness.app.createCharacter()
    const attached = await send("/console/bots/attach", { app: harness.app.appId, character, token: bot.token })
    const path = attached.headers.get("location") ?? ""
    const token = harness.telegram.revokeToken(bot)
    await send(`${path}/probe`)
    const revoked = await read(path)
    assert.include(revoked, "revoked token rejected")
    assert.include(revoked, "Set a new token…")
    assert.notInclude(revoked, "Open the bot")
    for (const wrong of ["", "1:a", harness.telegram.createBot().token]) await send(`${path}/token`, { token: wrong })
    assert.include(await read(path), "revoked token rejected")
    await send(`${path}/token`, { token })
    assert.match(await read(path), new RegExp(`^.*@${bot.username}.* active `))
    const audit = await page(`/console/audit?subject=${path.split("/").at(-1)}`)
    assert.notInclude(audit, token)
    assert.notInclude(audit, bot.token)
    const text = await read(`/console/audit?subject=${path.split("/").at(-1)}`)
    assert.match(text, /bot token replaced .* before status: revoked after status: pending/)
    assert.match(text, /bot attached/)
  })
})

describe("an operator takes a bot back", () => {
  it("from another program that has set its webhook, on the screen that says so", async () => {
    const { bot, id } = await harness.attach()
    const path = `/console/bots/${id}`
    assert.notInclude(await read(path), "Take the bot back")
    harness.telegram.advance(2000)
    await fetch(`${harness.telegram.url}/bot${bot.token}/setWebhook?url=https://example.com/stolen`)
    harness.telegram.advance(2000)
    await send(`${path}/probe`)
    const taken = await read(path)
    assert.include(taken, "Another program uses a bot")
    assert.include(taken, "Take the bot back")
    harness.telegram.advance(2000)
    await send(`${path}/rotate`)
    assert.match(await read(path), new RegExp(`^.*@${bot.username}.* active `))
    assert.notInclude(await read(path), "Take the bot back")
  })
})
