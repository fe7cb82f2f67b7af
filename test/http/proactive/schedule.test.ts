import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { enableProactive, checkProactiveNow, shiftIntoPast } from "#test/support/conversation/proactive.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
const pathOf = (session: string) => `/v1/sessions/${session}/proactive/schedule`
const schedule = (session: string, body: object, headers?: Record<string, string>) =>
  app.post(pathOf(session), body, headers)
const listed = async (session: string) => (await app.get(pathOf(session))).body.data.scheduled
const statusOf = async (session: string) => (await listed(session))[0].status

/** A session whose character may write first, unless the test closes a gate. */
const open = async (controls: object = {}) => {
  const session = await app.createSession({ end_user: { display_name: "Bo", age_band: "adult" } })
  await app.converse(session, "Hello there.")
  await enableProactive(app, session, {
    cold_initiate_enabled: false,
    min_gap_between_initiate_minutes: 0,
    ...controls
  })
  return session
}
/** Moves the scheduled messages back by this many hours, and checks the session. */
const passTo = async (session: string, hours: number) => {
  await server.database.sql`
    update scheduled_messages set at = at - ${hours}::int * interval '1 hour',
      until = until - ${hours}::int * interval '1 hour' where session_id = ${session}`
  await shiftIntoPast(server.database.sql, session, hours)
}
const settled = (session: string) =>
  until("the message to be decided", async () => {
    const status = await statusOf(session)
    return status === "scheduled" || status === "sending" ? undefined : status
  })

describe("a scheduled message", () => {
  it("is sent in the app's words at its time, as character.initiated, and not before", async () => {
    const session = await open()
    const { status, body } = await schedule(session, {
      at: inHours(2),
      text: "Happy birthday, {{user}}!\n\nThe kettle is on."
    })
    assert.strictEqual(status, 200)
    assert.deepInclude(body.data, {
      session_id: session,
      status: "scheduled",
      topic: null,
      skipped_by: null,
      run_ref: null
    })
    assert.strictEqual(Date.parse(body.data.until) - Date.parse(body.data.at), 24 * HOUR_MS)
    await passTo(session, 1)
    assert.strictEqual(await statusOf(session), "scheduled")
    await passTo(session, 1)
    const event = await app.waitFor(session, ({ type }) => type === "character.initiated")
    assert.deepInclude(event.payload, {
      kind: "proactive",
      reason: "scheduled_message",
      bubbles: ["Happy birthday, Bo!", "The kettle is on."]
    })
    assert.strictEqual(await settled(session), "sent")
    assert.deepInclude((await listed(session))[0], { run_ref: event.trace_id, skipped_by: null })
    assert.lengthOf(
      (await app.events(session)).filter(({ type }) => type === "character.initiated"),
      1
    )
  })

  it("is sent at its time in the sandbox, where time can be moved forward, and not before", async () => {
    const {
      api_key,
      app_id,
      character_slugs: [character_slug]
    } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", {})).body.data
    const demo = new TestApp(server.baseUrl, app_id, api_key)
    const session = await demo.createSession({ character_slug, end_user: { age_band: "adult" } })
    await enableProactive(demo, session, { cold_initiate_enabled: false })
    const { id } = (await demo.post(pathOf(session), { at: inHours(2), text: "The kettle is on." })).body.data
    const lookIn = async (hours: number) =>
      (await demo.post(`/v1/sessions/${session}/proactive/evaluate`, { now: inHours(hours), dry_run: false })).body.data
    assert.strictEqual((await lookIn(1)).decision, "skip")
    const sent = await lookIn(2)
    assert.deepInclude(sent, { decision: "send", reason: "scheduled_message" })
    const event = await demo.waitFor(session, ({ payload }) => payload["reason"] === "scheduled_message")
    assert.deepInclude(event, { type: "character.initiated", role: "character", trace_id: sent.run_ref })
    assert.deepStrictEqual(event.payload["bubbles"], ["The kettle is on."])
    const { scheduled } = (await demo.get(pathOf(session))).body.data
    assert.deepInclude(scheduled[0], { id, status: "sent", skipped_by: null, run_ref: sent.run_ref })
    const initiated = (await demo.events(session)).filter(({ payload }) => payload["kind"] === "proactive")
    assert.lengthOf(initiated, 1)
  })

  it("can be about a topic, in the character's own words", async () => {
    const session = await open()
    await schedule(session, { at: inHours(1), topic: "the sailing course" })
    await passTo(session, 1)
    const event = await app.waitFor(session, ({ type }) => type === "character.initiated")
    assert.strictEqual(event.payload["reason"], "scheduled_message")
    assert.match(String(event.payload["text"]), /sailing course/i)
  })

  it("waits while a gate blocks it, and is sent when the gate opens within its time", async () => {
    const session = await open({ proactive_enabled: false })
    await schedule(session, { at: inHours(1), text: "The ferry leaves earlier on Sundays, did you know?" })
    await passTo(session, 2)
    assert.strictEqual(await statusOf(session), "scheduled")
    await app.patch(`/v1/sessions/${session}/proactive-controls`, { proactive_enabled: true })
    await checkProactiveNow(server.database.sql, session)
    assert.strictEqual(await settled(session), "sent")
  })

  it("names the gate that it waits for, as decisions do, from its time on and as of now", async () => {
    const session = await open()
    const gates = async () =>
      (await listed(session)).map(({ text, status, skipped_by }: Record<string, unknown>) => [text, status, skipped_by])
    await schedule(session, { at: inHours(1), text: "First." })
    await schedule(session, { at: inHours(9), text: "Later." })
    assert.deepStrictEqual(await gates(), [
      ["Later.", "scheduled", null],
      ["First.", "scheduled", null]
    ])
    await app.patch(`/v1/sessions/${session}/proactive-controls`, { proactive_enabled: false })
    await passTo(session, 2)
    assert.deepStrictEqual(await gates(), [
      ["Later.", "scheduled", null],
      ["First.", "scheduled", "proactive_disabled"]
    ])
    await app.patch(`/v1/sessions/${session}/proactive-controls`, { proactive_enabled: true, proactivity_tolerance: 0 })
    assert.deepStrictEqual(await gates(), [
      ["Later.", "scheduled", null],
      ["First.", "scheduled", "tolerance_zero"]
    ])
    const decision = await app.post(`/v1/sessions/${session}/proactive/evaluate`, { dry_run: true })
    assert.strictEqual(decision.body.data.skipped_by, "tolerance_zero")
    await app.patch(`/v1/sessions/${session}/proactive-controls`, { proactivity_tolerance: 1 })
    await checkProactiveNow(server.database.sql, session)
    await app.waitFor(session, ({ type }) => type === "character.initiated")
    const [later, first] = await until("it to be sent", async () => {
      const found = await gates()
      return found[1][1] === "sent" ? found : undefined
    })
    assert.deepStrictEqual(
      [later, first],
      [
        ["Later.", "scheduled", null],
        ["First.", "sent", null]
      ]
    )
  })

  it("reports its gate at once if its time has already come", async () => {
    const session = await app.createSession({ proactive_enabled: true })
    const { status, body } = await schedule(session, { at: inHours(-1), text: "Hello." })
    assert.strictEqual(status, 200)
    assert.deepInclude(body.data, { status: "scheduled" })
    assert.isString(body.data.skipped_by)
  })

  it("expires if it passes every gate at no time, and is never sent late", async () => {
    const session = await open({ proactivity_tolerance: 0 })
    await schedule(session, { at: inHours(1), until: inHours(2), text: "Are you up?" })
    await passTo(session, 3)
    assert.strictEqual(await settled(session), "expired")
    await app.patch(`/v1/sessions/${session}/proactive-controls`, { proactivity_tolerance: 1 })
    await checkProactiveNow(server.database.sql, session)
    assert.notInclude(
      (await app.events(session)).map(({ type }) => type),
      "character.initiated"
    )
  })

  it("is checked by the content gates: text that pressures a person is not sent", async () => {
    const session = await open()
    await schedule(session, { at: inHours(1), text: "If you leave me now I will be all alone. Don't abandon me." })
    await passTo(session, 1)
    assert.strictEqual(await settled(session), "skipped")
    assert.isString((await listed(session))[0].skipped_by)
    assert.notInclude(
      (await app.events(session)).map(({ type }) => type),
      "character.initiated"
    )
  })

  it("is created once under one Idempotency-Key, and a cancellation is final", async () => {
    const session = await open()
    const body = { at: inHours(1), text: "Hello again." }
    const [first, second] = [
      await schedule(session, body, { "idempotency-key": "once" }),
      await schedule(session, body, { "idempotency-key": "once" })
    ]
    assert.strictEqual(second.body.data.id, first.body.data.id)
    assert.isTrue(second.body.data.idempotent_replay)
    const cancelled = await app.delete(`${pathOf(session)}/${first.body.data.id}`)
    assert.deepInclude(cancelled.body.data, { id: first.body.data.id, status: "cancelled" })
    await passTo(session, 2)
    assert.strictEqual(await statusOf(session), "cancelled")
    assert.notInclude(
      (await app.events(session)).map(({ type }) => type),
      "character.initiated"
    )
  })

  it("cannot be cancelled after it was sent: 409 scheduled_message_closed", async () => {
    const session = await open()
    const { id } = (await schedule(session, { at: inHours(1), text: "The tide table for Sunday is pinned up." })).body
      .data
    await passTo(session, 1)
    assert.strictEqual(await settled(session), "sent")
    const { status, body } = await app.delete(`${pathOf(session)}/${id}`)
    assert.deepStrictEqual([status, body.detail.code], [409, "scheduled_message_closed"])
  })

  it.each<[string, object]>([
    ["body.text", { at: inHours(1) }],
    ["body.text", { at: inHours(1), text: "a", topic: "b" }],
    ["body.at", { text: "a" }],
    ["body.at", { at: "tomorrow", text: "a" }],
    ["body.at", { at: inHours(-48), text: "a" }],
    ["body.at", { at: inHours(24 * 367), text: "a" }],
    ["body.until", { at: inHours(2), until: inHours(1), text: "a" }],
    ["body.until", { at: inHours(1), until: inHours(24 * 9), text: "a" }],
    ["body.text", { at: inHours(1), text: "x".repeat(2001) }]
  ])("is 422 at %s: %j", async (path, body) => {
    const answer = await schedule(await app.createSession(), body)
    assert.deepStrictEqual([answer.status, answer.body.detail.code], [422, "validation_error"])
    assert.include(answer.body.detail.message, path)
  })

  it.each([
    [{}, "body.text: Give text or topic"],
    [{ text: "a", topic: "b" }, "body.text: Give either text or topic, not both, received text of 1 character"]
  ])("is refused with what to do about its text and topic: %j", async (said, message) => {
    const answer = await schedule(await app.createSession(), { at: inHours(1), ...said })
    assert.deepStrictEqual([answer.status, answer.body.detail.message], [422, message])
  })

  it("is limited to a hundred per session: 409 schedule_limit_reached", async () => {
    const session = await app.createSession()
    await server.database.sql`
      insert into scheduled_messages (app_id, session_id, scheduled_id, at, until, text)
      select ${app.appId}, ${session}, 'sch_' || n, now() + interval '1 day', now() + interval '2 days', 'x'
        from generate_series(1, 100) n`
    const { status, body } = await schedule(session, { at: inHours(1), text: "One more." })
    assert.deepStrictEqual([status, body.detail.code], [409, "schedule_limit_reached"])
  })

  it("needs an active session of the app, and is erased with it", async () => {
    const session = await app.createSession({ external_user_ref: "leaver" })
    await schedule(session, { at: inHours(1), text: "Hello." }, { "idempotency-key": "k" })
    await server.database.sql`update session_logs set status = 'exited' where session_id = ${session}`
    const exited = await schedule(session, { at: inHours(1), text: "Hello." })
    assert.deepStrictEqual([exited.status, exited.body.detail.code], [409, "session_exited"])
    const other = await server.createApp()
    const foreign = await other.delete(`${pathOf(session)}/${(await listed(session))[0].id}`)
    assert.deepStrictEqual([foreign.status, foreign.body.detail.code], [404, "session_not_found"])
    const missing = await app.delete(`${pathOf(session)}/sch_01ARZ3NDEKTSV4RRFFQ69G5FAV`)
    assert.deepStrictEqual([missing.status, missing.body.detail.code], [404, "scheduled_message_not_found"])
    await app.delete("/v1/end-users/leaver")
    await until(
      "the erasure",
      async () => (await server.database.sql`select 1 from sessions where session_id = ${session}`).length === 0
    )
    assert.lengthOf(await server.database.sql`select 1 from scheduled_messages where session_id = ${session}`, 0)
    assert.lengthOf(await server.database.sql`select 1 from idempotency_keys where path = ${pathOf(session)}`, 0)
  })
})
