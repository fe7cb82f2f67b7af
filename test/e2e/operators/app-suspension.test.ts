import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { enableProactive, shiftIntoPast } from "#test/support/conversation/proactive.ts"
import { start } from "#test/support/model/FakeModel.ts"
import { type Receiver, startReceiver } from "#test/support/Receiver.ts"
import { saidAtLeast, startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

let harness: TelegramHarness
let receiver: Receiver
/** What the receiver waits for before it answers a request to this path. */
const answering = new Map<string, Promise<void>>()
beforeAll(async () => {
  receiver = await startReceiver((response, { path }) => {
    void (answering.get(path) ?? Promise.resolve()).then(() => response.writeHead(200).end())
  })
  harness = await startTelegramHarness({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
})
afterAll(async () => {
  await harness.close()
  await receiver.close()
})

const troupe = (...args: ReadonlyArray<string>) => runTroupe({ DATABASE_URL: harness.server.database.url }, args)
/** The output of a command: one line of JSON, and nothing else. */
const printed = async (...args: ReadonlyArray<string>) => {
  const json = ["suspend", "resume"].includes(args[1] ?? "") ? ["--json"] : []
  const { code, stdout, stderr } = await troupe(...args, ...json)
  assert.deepStrictEqual([code, stderr], [0, ""])
  assert.match(stdout, /^\{.*\}\n$/)
  return JSON.parse(stdout)
}
const code = ({ status, body }: Answer) => [status, body.detail?.code]
const openStream = async (app: TestApp, session: string) => {
  const [response] = (await once(
    get(`${app.baseUrl}/v1/sessions/${session}/events/stream?since=0`, {
      headers: { authorization: `Bearer ${app.key}` }
    }),
    "response"
  )) as [IncomingMessage]
  response.resume()
  return response
}
const at = (path: string) => receiver.requests.filter((request) => request.path === path)
const cursorsAt = (path: string) => at(path).map(({ headers }) => Number(headers["x-service-cursor"]))
const told = async (app: TestApp) =>
  (await app.get("/v1/delivery/events?since=0&limit=200")).body.data.events.map(
    ({ type, payload }: { type: string; payload: object }) => ({ type, payload })
  )
const lane = async (session: string) =>
  (await harness.server.database.sql`select status, owner from lanes where session_id = ${session}`)[0]
const parked = (session: string) =>
  until("the lane to be parked", async () => (await lane(session))?.["status"] === "parked")
const kept = (id: string, count: number) =>
  until(
    `${count} updates to be kept`,
    async () =>
      (await harness.server.database.sql`select 1 from telegram_updates where channel_id = ${id} and done_at is null`)
        .length === count
  )

/** A new app with a bot, a person whom the bot has greeted, and their session. */
const met = async () => {
  const app = await harness.server.createApp()
  const bot = harness.telegram.createBot()
  const character_slug = await app.createCharacter({ greeting: "Come in, the soup is hot." })
  const { body } = await app.post("/v1/telegram/bots", {
    mode: "byo",
    token: bot.token,
    join_window_ms: 0,
    character_slug
  })
  const person = harness.telegram.createUser()
  harness.telegram.start(person, bot)
  await saidAtLeast(harness, bot, person, 1)
  return { app, bot, person, id: body.data.id as string }
}

interface AuditEntry {
  readonly actor: { readonly kind: string }
  readonly action: string
  readonly detail: unknown
}

describe("a suspended app", () => {
  it("has its keys refused, and its streams and waiting polls end, until it is resumed", async () => {
    const [app, other] = [await harness.server.createApp(), await harness.server.createApp()]
    const [session, others] = [await app.createSession(), await other.createSession()]
    const { api_key: second } = await printed("key", "create", app.appId)
    const [stream, going] = [await openStream(app, session), await openStream(other, others)]
    const ended = once(stream, "end")
    const waiting = app.get(`/v1/sessions/${session}/events?since=0&wait=30`)
    const suspended = await printed("app", "suspend", app.appId, "--reason", "Unpaid bills")
    await ended
    const refused = await waiting
    assert.deepInclude(suspended, { app_id: app.appId, suspended_reason: "Unpaid bills", already: false })
    assert.deepStrictEqual(code(refused), [403, "app_suspended"])

    for (const key of [app.key, second]) {
      const answer = await app.request("GET", "/v1/me", undefined, { authorization: `Bearer ${key}` })
      assert.deepStrictEqual(code(answer), [403, "app_suspended"])
      assert.strictEqual(answer.body.detail.message, "The operator of this server has suspended this app: Unpaid bills")
      assert.match(answer.body.detail.fix, /^Contact the operator of this server\./)
    }
    assert.deepStrictEqual(code(await app.send(session, "Is anybody there?")), [403, "app_suspended"])
    assert.deepStrictEqual(code(await app.get(`/v1/sessions/${session}/events/stream`)), [403, "app_suspended"])
    assert.deepStrictEqual(
      code(await app.request("GET", "/v1/me", undefined, { authorization: `Bearer ${app.key.slice(0, -1)}-` })),
      [403, undefined]
    )
    assert.isFalse(going.complete)
    going.destroy()

    assert.deepStrictEqual(await printed("app", "resume", app.appId), {
      app_id: app.appId,
      suspended_at: null,
      suspended_reason: null,
      already: false
    })
    assert.strictEqual((await app.get("/v1/me")).status, 200)
    assert.strictEqual((await app.converse(session, "And now?")).type, "message.created")
    assert.deepStrictEqual(await told(app), [
      { type: "app.suspended", payload: { reason: "Unpaid bills" } },
      { type: "app.resumed", payload: {} }
    ])
  })

  it("is shown as suspended to the operator and to its account, and both changes are in the audit log", async () => {
    const from = Date.now()
    const account = await createAccountIn(harness.server)
    const { app_id } = (await account.client.post("/v1/account/apps", { name: "Theirs" })).body.data
    const { suspended_at } = await printed("app", "suspend", app_id)
    assertSince(suspended_at, from)
    const again = await printed("app", "suspend", app_id, "--reason", "Unpaid bills")
    assert.deepStrictEqual(again, { app_id, suspended_at, suspended_reason: "Unpaid bills", already: true })
    const state = { suspended_at, suspended_reason: "Unpaid bills" }
    assert.deepInclude(await printed("app", "show", app_id), state)
    assert.deepInclude(
      (await printed("app", "list")).apps.find((app: { app_id: string }) => app.app_id === app_id),
      state
    )
    assert.deepInclude((await account.client.get(`/v1/account/apps/${app_id}`)).body.data, state)
    assert.deepInclude((await account.client.patch(`/v1/account/apps/${app_id}`, { name: "Renamed" })).body.data, state)
    await printed("app", "resume", app_id)
    assert.deepStrictEqual((await printed("app", "resume", app_id)).already, true)
    assert.deepInclude(await printed("app", "show", app_id), { suspended_at: null, suspended_reason: null })
    const { entries } = (await account.client.get(`/v1/account/audit-log?app_id=${app_id}`)).body.data
    const running = { suspended: false, reason: null }
    assert.deepStrictEqual(
      (entries as ReadonlyArray<AuditEntry>)
        .filter(({ action }) => /suspended|resumed/.test(action))
        .toReversed()
        .map(({ actor, action, detail }) => [actor.kind, action, detail]),
      [
        ["operator", "app.suspended", { reason: null, before: running, after: { suspended: true, reason: null } }],
        [
          "operator",
          "app.suspended",
          {
            reason: "Unpaid bills",
            before: { suspended: true, reason: null },
            after: { suspended: true, reason: "Unpaid bills" }
          }
        ],
        ["operator", "app.resumed", { before: { suspended: true, reason: "Unpaid bills" }, after: running }]
      ]
    )
  })

  it("gets nothing by webhook beyond what was in flight, and everything in order, once, afterwards", async () => {
    const app = await harness.server.createApp()
    const operator = await createOperatorIn(harness.server, "operator")
    const session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Hello." }) })
    await app.converse(session, "What is for dinner?")
    const answer = Promise.withResolvers<void>()
    answering.set("/suspended", answer.promise)
    await app.post(`/v1/sessions/${session}/channels`, {
      kind: "webhook",
      url: new URL("/suspended", receiver.url).href,
      from: "start"
    })
    await until("the first event to be in flight", () => at("/suspended").length === 1)
    // Over HTTP: an attempt ends after fifteen seconds, and a command may take as long to start.
    assert.strictEqual((await operator.post(`/admin/apps/${app.appId}/suspend`, {})).status, 200)
    answer.resolve()
    await parked(session)
    assert.deepStrictEqual(cursorsAt("/suspended"), [1])

    await printed("app", "resume", app.appId)
    await app.converse(session, "And for breakfast?")
    const cursors = (await app.events(session)).map(({ cursor }) => cursor)
    await until("all events", () => at("/suspended").length >= cursors.length)
    assert.deepStrictEqual(cursorsAt("/suspended"), cursors)
  })

  it("has its accepted turns finished; their replies can be read when it is resumed", async () => {
    const model = await start()
    // The model answers once a command has run.
    const server = await startTestServer({
      env: { OPENAI_BASE_URL: model.url, OPENAI_TIMEOUT_SECONDS: "120", TURN_DEADLINE_FAST_SECONDS: "120" }
    })
    const troupe = (...args: ReadonlyArray<string>) => runTroupe({ DATABASE_URL: server.database.url }, args)
    const app = await server.createApp()
    const session = await app.createSession()
    const answer = Promise.withResolvers<void>()
    model.script({ kind: "ok", bubbles: ["Leek soup, as ever."], after: answer.promise })
    const { run_ref } = (await app.send(session, "What is for dinner?")).body.data
    await until("the request for the reply", () => model.requests.some(({ question }) => question === "reply"))
    assert.strictEqual((await troupe("app", "suspend", app.appId)).code, 0)
    answer.resolve()
    await until(
      "the turn to end",
      async () =>
        (await server.database.sql`select 1 from turns where session_id = ${session} and outcome = 'replied'`)
          .length === 1
    )
    assert.deepStrictEqual(code(await app.get(`/v1/sessions/${session}/events?since=0`)), [403, "app_suspended"])
    assert.strictEqual((await troupe("app", "resume", app.appId)).code, 0)
    const reply = await app.waitFor(
      session,
      ({ type, role, trace_id }) => type === "message.created" && role === "character" && trace_id === run_ref
    )
    assert.deepStrictEqual(reply.payload["bubbles"], ["Leek soup, as ever."])
    await server.close()
    await model.close()
  })

  it("keeps Telegram messages, and answers them when it is resumed", async () => {
    const { app, bot, person, id } = await met()
    await printed("app", "suspend", app.appId)
    harness.telegram.say(person, bot, "One.")
    await kept(id, 1)
    harness.telegram.say(person, bot, "Two.")
    await kept(id, 2)
    assert.lengthOf(harness.said(bot, person), 1)
    await printed("app", "resume", app.appId)
    await kept(id, 0)
    const { chats } = (await app.get(`/v1/telegram/bots/${id}/chats`)).body.data
    await until(
      "both to be answered",
      async () =>
        (await harness.server.database.sql`select 1 from turns where app_id = ${app.appId} and outcome = 'replied'`)
          .length === 2
    )
    const written = (await app.events(chats[0].session_id)).flatMap(({ role, payload }) =>
      role === "user" && payload["text"] !== undefined ? [payload["text"]] : []
    )
    assert.deepStrictEqual(written, ["One.", "Two."])
    await saidAtLeast(harness, bot, person, 3)
  })

  it("stays held on Telegram as long as its bots are held, and vice versa", async () => {
    const { app, bot, person, id } = await met()
    await printed("telegram", "hold", "--app", app.appId, "--reason", "Spam")
    await printed("app", "suspend", app.appId)
    harness.telegram.say(person, bot, "Is anybody there?")
    await kept(id, 1)
    await printed("app", "resume", app.appId)
    assert.deepInclude((await app.get(`/v1/telegram/bots/${id}`)).body.data, { held: true })
    assert.deepInclude((await app.get("/v1/health")).body.data.components.delivery.telegram_hold, { reason: "Spam" })
    await printed("app", "suspend", app.appId)
    await printed("telegram", "release", "--app", app.appId)
    assert.deepStrictEqual((await printed("telegram", "holds")).holds, [])
    await kept(id, 1)
    assert.lengthOf(harness.said(bot, person), 1)
    await printed("app", "resume", app.appId)
    await saidAtLeast(harness, bot, person, 2)
    assert.deepStrictEqual(
      (await told(app)).map(({ type }: { type: string }) => type),
      [
        "bot.active",
        "telegram.held",
        "app.suspended",
        "app.resumed",
        "app.suspended",
        "telegram.released",
        "app.resumed"
      ]
    )
  })

  it("sends no proactive messages, and sends them again when it is resumed", async () => {
    const { sql } = harness.server.database
    const app = await harness.server.createApp()
    const session = await app.createSession()
    await app.converse(session, "My dog Biscuit has learned to open doors.")
    await enableProactive(app, session)
    await printed("app", "suspend", app.appId)
    await shiftIntoPast(sql, session, 13)
    await until(
      "the skip",
      async () =>
        (
          await sql`
      select 1 from proactive_decisions join relationships using (app_id, session_id)
      where session_id = ${session} and skipped_by = 'app_suspended' and initiate_at = 'infinity'`
        ).length >= 1
    )
    await printed("app", "resume", app.appId)
    const { payload } = await app.waitFor(
      session,
      ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive"
    )
    assert.isNotEmpty(payload["bubbles"])
  })

  it("starts no eval runs, and keeps those that wait", async () => {
    const { sql } = harness.server.database
    const [app, other] = [await harness.server.createApp(), await harness.server.createApp()]
    const order = async (by: TestApp) => {
      const suite = await by.post("/v1/evals/suites", {
        name: "dinner",
        character_slug: await by.createCharacter(),
        cases: [
          { key: "dinner", turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value: "soup" }] }] }
        ]
      })
      return (await by.post(`/v1/evals/suites/${suite.body.data.id}/runs`, {})).body.data.id as string
    }
    const isOver = async (run: string) =>
      (await sql`select 1 from eval_runs where run_id = ${run} and finished_at is not null`).length === 1
    const run = await order(app)
    await until("the run to end", () => isOver(run))
    await printed("app", "suspend", app.appId)
    await sql`update eval_results set status = null, finished_at = null where run_id = ${run}`
    await sql`update eval_runs set status = 'queued', finished_at = null, started_at = null, owner = null
      where run_id = ${run}`
    const others = await order(other)
    await until("a later run of another app to end", () => isOver(others))
    assert.deepStrictEqual(
      (await sql`select status, owner from eval_runs where run_id = ${run}`).map(({ status, owner }) => [
        status,
        owner
      ]),
      [["queued", null]]
    )
    await printed("app", "resume", app.appId)
    await until("the run to end after all", () => isOver(run))
  })
})

describe("app suspend and app resume", () => {
  it("report mistakes in one line", async () => {
    const { appId } = await harness.server.createApp()
    for (const [args, problem] of [
      [["suspend", "app_x"], "there is no app app_x"],
      [["resume", "app_x"], "there is no app app_x"],
      [["suspend", appId, "--reason", "x".repeat(201)], "--reason must be 1 to 200 characters"],
      [["suspend", appId, "Unpaid", "bills"], "Unpaid bills: unknown argument; see --help"]
    ] as const) {
      const { code, stdout, stderr } = await troupe("app", ...args)
      assert.deepStrictEqual([code, stdout, stderr], [1, "", `troupe: ${problem}\n`])
    }
    assert.deepInclude(await printed("app", "show", appId), { suspended_at: null })
  })
})
