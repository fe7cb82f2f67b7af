import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"
import { enableProactive, checkProactiveNow, shiftIntoPast } from "#test/support/proactive.ts"
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

/** Contract 2.6: values within the range, and values just outside it. */
const BOUNDS: ReadonlyArray<readonly [field: string, good: ReadonlyArray<unknown>, bad: ReadonlyArray<unknown>]> = [
  ["proactive_enabled", [true, false], ["yes", 1]],
  ["proactivity_tolerance", [0, 0.35, 1], [-0.01, 1.01, "1"]],
  ["cold_initiate_enabled", [true, false], ["no", 0]],
  ["session_resume_enabled", [true, false], ["no", 0]],
  ["cold_initiate_min_idle_minutes", [5, 1440], [4, 1441, 5.5]],
  ["session_resume_min_idle_minutes", [0, 1440], [-1, 1441, 0.5]],
  ["session_resume_max_unanswered_character_turns", [0, 20], [-1, 21, 1.5]],
  ["min_gap_between_initiate_minutes", [0, 1440], [-1, 1441]],
  ["daily_initiate_cap", [0, 50], [-1, 51, 2.5]]
]

const stateOf = async (session: string) => (await app.get(`/v1/sessions/${session}/state`)).body.data.proactive
const control = (session: string, body: object) => app.patch(`/v1/sessions/${session}/proactive-controls`, body)
const policyOf = (of: TestApp) => `/v1/apps/${of.appId}/proactive-policy`
const evaluate = (of: TestApp, session: string, body: object = {}) =>
  of.post(`/v1/sessions/${session}/proactive/evaluate`, body)
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe("the proactive controls of a session", () => {
  it.each(BOUNDS)(
    "%s are accepted within their range, refused outside it, and cleared by null",
    async (field, good, bad) => {
      const session = await app.createSession()
      for (const value of good) {
        const { status, body } = await control(session, { [field]: value })
        assert.strictEqual(status, 200)
        assert.strictEqual(body.data[field], value)
        assert.strictEqual(body.data.effective[field], value)
        assert.deepInclude(await stateOf(session), { effective: body.data.effective, sources: body.data.sources })
        assert.strictEqual(body.data.sources[field], "session")
      }
      for (const value of bad) {
        const { status, body } = await control(session, { [field]: value })
        assert.strictEqual(status, 422)
        assert.strictEqual(body.detail.code, "validation_error")
        assert.include(body.detail.message, `body.${field}`)
      }
      assert.strictEqual((await stateOf(session)).effective[field], good.at(-1))
      const { body } = await control(session, { [field]: null })
      assert.strictEqual(body.data[field], null)
      assert.strictEqual(body.data.sources[field], "app")
    }
  )

  it("change only the given fields, and name unknown ones", async () => {
    const session = await app.createSession({ proactive_enabled: true })
    await control(session, { daily_initiate_cap: 7 })
    const { body } = await control(session, { min_gap_between_initiate_minutes: 30, daily_cap: 3 })
    assert.deepInclude(body.data, {
      proactive_enabled: true,
      daily_initiate_cap: 7,
      min_gap_between_initiate_minutes: 30,
      cold_initiate_enabled: null
    })
    assert.deepStrictEqual(body.data.ignored_fields, ["daily_cap"])
    assert.strictEqual((await app.patch(`/v1/sessions/ses_nobody/proactive-controls`, {})).status, 404)
  })

  it("report when the character may write next, and that it may not if it is off or its tolerance is 0", async () => {
    await app.patch(policyOf(app), { quiet_hours: [] })
    const session = await app.createSession({ proactive_enabled: true })
    const on = { proactivity_tolerance: 1, cold_initiate_min_idle_minutes: 60, session_resume_enabled: false }
    const { last_character_at: spoken, created_at: created } = (await app.get(`/v1/sessions/${session}`)).body.data
    const { body } = await control(session, on)
    assert.strictEqual(body.data.next_eligible_at, new Date(Date.parse(spoken ?? created) + 3_600_000).toISOString())
    for (const off of [
      { proactive_enabled: false },
      { proactivity_tolerance: 0 },
      { cold_initiate_enabled: false },
      { daily_initiate_cap: 0 }
    ]) {
      const other = await app.createSession({ proactive_enabled: true })
      assert.strictEqual(
        (await control(other, { ...on, ...off })).body.data.next_eligible_at,
        null,
        JSON.stringify(off)
      )
    }
  })
})

describe("an app's proactive policy", () => {
  it("has defaults, is changed by merge, and respects the expected version", async () => {
    const own = await server.createApp()
    const { body: before } = await own.get(policyOf(own))
    assert.deepInclude(before.data, {
      enabled: true,
      quiet_hours: [{ from: "22:00", to: "08:00", days: [0, 1, 2, 3, 4, 5, 6] }],
      daily_cap_per_end_user: 3,
      daily_cap_app: null,
      minors: "off",
      version: 1
    })
    const first = await own.patch(policyOf(own), {
      daily_cap_app: 10,
      channel_policy: { channels: { webhook: { allow: false } } },
      cost_cap: { daily_usd: 1 },
      expected_version: 1
    })
    assert.deepInclude(first.body.data, {
      daily_cap_app: 10,
      version: 2,
      cost_cap: { daily_usd: 1, monthly_usd: null }
    })
    const second = await own.patch(policyOf(own), {
      daily_cap_app: null,
      channel_policy: { channels: { telegram_byo: { daily_cap: 5 } } },
      minors: "on"
    })
    assert.deepInclude(second.body.data, {
      daily_cap_app: null,
      version: 3,
      minors: "off",
      channel_policy: {
        default: "allow",
        channels: { webhook: { allow: false, daily_cap: null }, telegram_byo: { allow: true, daily_cap: 5 } }
      }
    })
    assert.deepStrictEqual(second.body.data.ignored_fields, ["minors"])
    const stale = await own.patch(policyOf(own), { enabled: false, expected_version: 2 })
    assert.deepInclude(
      { status: stale.status, code: stale.body.detail.code },
      { status: 409, code: "version_conflict" }
    )
    const { ignored_fields: _, ...kept } = second.body.data
    assert.deepStrictEqual((await own.get(policyOf(own))).body.data, kept)
  })

  it.each([
    ["body.quiet_hours", { quiet_hours: Array.from({ length: 8 }, () => ({ from: "22:00", to: "08:00" })) }],
    ["body.quiet_hours[0].from", { quiet_hours: [{ from: "24:00", to: "08:00" }] }],
    ["body.quiet_hours[0].days[0]", { quiet_hours: [{ from: "22:00", to: "08:00", days: [7] }] }],
    ["body.timezone", { timezone: "Mars/Olympus" }],
    ["body.daily_cap_per_end_user", { daily_cap_per_end_user: 51 }],
    ["body.daily_cap_app", { daily_cap_app: 1_000_001 }],
    ["body.allowed_reasons[0]", { allowed_reasons: ["boredom"] }],
    ["body.channel_policy.default", { channel_policy: { default: "maybe" } }],
    ["body.cost_cap.daily_usd", { cost_cap: { daily_usd: -1 } }]
  ])("refuses values out of range at %s", async (path, body) => {
    const answer = await app.patch(policyOf(app), body)
    assert.strictEqual(answer.status, 422)
    assert.include(answer.body.detail.message, path)
  })

  it("belongs to one app only", async () => {
    const other = await server.createApp()
    for (const path of [policyOf(other), `${policyOf(other)}/decisions`])
      assert.strictEqual((await app.get(path)).status, 404)
    assert.strictEqual((await app.patch(policyOf(other), { enabled: "no" })).status, 404)
  })
})

describe("an evaluation", () => {
  it("reports for any time which gate blocks and when a message may be next, and writes nothing", async () => {
    const own = await server.createApp()
    await own.patch(policyOf(own), { quiet_hours: [] })
    const session = await own.createSession({ proactive_enabled: true })
    await own.patch(`/v1/sessions/${session}/proactive-controls`, {
      proactivity_tolerance: 1,
      cold_initiate_min_idle_minutes: 30,
      session_resume_enabled: false
    })
    const now = await evaluate(own, session)
    assert.deepInclude(now.body.data, {
      decision: "skip",
      reason: "cold_initiate",
      skipped_by: "min_idle",
      dry_run: true,
      run_ref: null
    })
    const gates = now.body.data.gates.map(({ gate, result }: { gate: string; result: string }) => `${gate} ${result}`)
    assert.include(gates, "quiet_hours open")
    assert.include(gates, "min_idle shut")
    assert.include(gates, "min_gap not_reached")
    const later = await evaluate(own, session, { now: inMinutes(31) })
    assert.deepInclude(later.body.data, { decision: "send", reason: "cold_initiate", skipped_by: null })
    await own.patch(policyOf(own), { enabled: false })
    assert.deepInclude((await evaluate(own, session, { now: inMinutes(31) })).body.data, {
      decision: "skip",
      skipped_by: "policy_disabled",
      next_eligible_at: null
    })
    assert.deepStrictEqual(
      (await own.events(session)).map(({ type }) => type),
      []
    )
    assert.strictEqual((await own.get(`/v1/sessions/${session}`)).body.data.turn_count, 0)
  })

  it("is carried out under a demo key only", async () => {
    const answer = await evaluate(app, await app.createSession(), { dry_run: false })
    assert.strictEqual(answer.status, 422)
    assert.include(answer.body.detail.message, "body.dry_run")
  })
})

describe("a character of the sandbox, when time is moved forward", () => {
  it("writes first, once, on the log and with a trace, and not again before the gap is over", async () => {
    const { api_key, app_id, character_slugs } = (
      await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", {})
    ).body.data
    const demo = new TestApp(server.baseUrl, app_id, api_key)
    await demo.patch(policyOf(demo), { quiet_hours: [] })
    const session = await demo.createSession({ character_slug: character_slugs[0], proactive_enabled: true })
    await demo.patch(`/v1/sessions/${session}/proactive-controls`, {
      proactivity_tolerance: 1,
      cold_initiate_min_idle_minutes: 60,
      session_resume_enabled: false,
      min_gap_between_initiate_minutes: 600
    })
    await demo.converse(session, "My dog Biscuit has learned to open doors.")
    const tomorrow = inMinutes(24 * 60)
    const { body } = await evaluate(demo, session, { now: tomorrow, dry_run: false })
    assert.deepInclude(body.data, { decision: "send", reason: "cold_initiate", dry_run: false })
    const said = await demo.waitFor(
      session,
      ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive"
    )
    assert.deepInclude(said, { role: "character", trace_id: body.data.run_ref })
    assert.strictEqual(said.payload["reason"], "cold_initiate")
    assert.isNotEmpty(said.payload["bubbles"])
    assert.deepStrictEqual((said["source_ref"] as { kind: string }).kind, "proactive")
    assert.notInclude(
      (await demo.events(session)).filter(({ trace_id }) => trace_id === said.trace_id).map(({ type }) => type),
      "run.status"
    )

    assert.deepInclude((await evaluate(demo, session, { now: tomorrow, dry_run: false })).body.data, {
      decision: "skip",
      skipped_by: "min_idle"
    })
    const runs = (await demo.get(`/v1/sessions/${session}/runs`)).body.data.runs
    assert.deepInclude(runs[0], { trace_id: said.trace_id, kind: "proactive", status: "replied" })
    const trace = await until("memory extraction", async () => {
      const row = (await demo.get(`/v1/sessions/${session}/trace?run_ref=${said.trace_id}`)).body.data.trace[0]
      return row.settled ? row : undefined
    })
    assert.deepInclude(trace, { outcome: "replied" })
    const { decisions } = (await demo.get(`${policyOf(demo)}/decisions?session_id=${session}`)).body.data
    assert.isTrue(
      decisions.some(
        (made: Record<string, unknown>) =>
          made["decision"] === "sent" && made["run_ref"] === said.trace_id && made["reason"] === "cold_initiate"
      )
    )
    assert.strictEqual((await demo.get(`/v1/sessions/${session}`)).body.data.unanswered_character_turns, 2)
    const usage = (await demo.get("/v1/usage?group_by=kind")).body.data
    assert.deepInclude(usage, { messages: 1, proactive: 1 })
    assert.includeMembers(
      usage.groups.map(({ key }: { key: string }) => key),
      ["proactive", "message_fast"]
    )
    assert.isTrue(
      (await demo.get("/v1/rates")).body.data.rates.some(({ kind }: { kind: string }) => kind === "proactive")
    )
    const { external_user_ref: person } = (await demo.get(`/v1/sessions/${session}`)).body.data
    assert.strictEqual((await demo.get(`/v1/end-users/${person}/usage`)).body.data.proactive, 1)
    // The person answers, and gets a reply.
    assert.strictEqual((await demo.converse(session, "Haha, that made my day.")).type, "message.created")
  })
})

describe("the limits of the policy", () => {
  /** A time zone where the date is not about to change: noon in UTC is two in the morning there. */
  const timezone = new Date().getUTCHours() < 12 ? "UTC" : "Pacific/Kiritimati"
  const writeFirst = { proactivity_tolerance: 1, session_resume_enabled: false }

  it("are counted over all its sessions, by person, by app, by channel and in money", async () => {
    const { sql } = server.database
    const own = await server.createApp()
    const policy = (patch: object) =>
      own.patch(policyOf(own), {
        timezone,
        daily_cap_app: null,
        daily_cap_per_end_user: 3,
        channel_policy: null,
        cost_cap: null,
        ...patch
      })
    const open = async () => {
      const session = await own.createSession({ external_user_ref: "anna" })
      await enableProactive(own, session, writeFirst)
      return session
    }
    const [first, second] = [await open(), await open()]
    await policy({ daily_cap_app: 1 })
    await shiftIntoPast(sql, first, 13)
    await own.waitFor(first, ({ type }) => type === "character.initiated")
    await shiftIntoPast(sql, second, 13)
    const skip = await until("a skip", async () =>
      (await own.get(`${policyOf(own)}/decisions?session_id=${second}`)).body.data.decisions.find(
        (made: Record<string, unknown>) => made["skipped_by"] === "app_daily_cap"
      )
    )
    assert.strictEqual(skip.decision, "skipped")
    const stoppedBy = async (patch: object) => {
      await policy(patch)
      return (await evaluate(own, second)).body.data.skipped_by
    }
    assert.isNull(await stoppedBy({}))
    assert.strictEqual(await stoppedBy({ daily_cap_per_end_user: 1 }), "end_user_daily_cap")
    assert.isNull(await stoppedBy({ daily_cap_per_end_user: 2, daily_cap_app: 2 }))
    assert.strictEqual(
      await stoppedBy({ channel_policy: { channels: { event_log: { daily_cap: 1 } } } }),
      "channel_policy"
    )
    assert.isNull(
      await stoppedBy({ channel_policy: { channels: { event_log: { daily_cap: 2 }, webhook: { allow: false } } } })
    )
    assert.strictEqual(await stoppedBy({ cost_cap: { daily_usd: 0 } }), "cost_cap")
    assert.strictEqual(await stoppedBy({ cost_cap: { monthly_usd: 0.000001 } }), "cost_cap")
    assert.isNull(await stoppedBy({ cost_cap: { daily_usd: 1, monthly_usd: 1 } }))
  })

  it("include its budget, and what the caps leave to a person", async () => {
    const { sql } = server.database
    const poor = await server.createApp({ budgetUsd: 0 })
    const session = await poor.createSession()
    await enableProactive(poor, session, writeFirst)
    await shiftIntoPast(sql, session, 13)
    await until("a skip", async () =>
      (await poor.get(`${policyOf(poor)}/decisions`)).body.data.decisions.some(
        (made: Record<string, unknown>) => made["skipped_by"] === "cost_cap"
      )
    )
    const own = await server.createApp()
    const capped = await own.createSession({ external_user_ref: "ben" })
    await enableProactive(own, capped, writeFirst)
    await own.patch("/v1/end-users/ben/caps", { daily_cost_usd: 0 })
    await shiftIntoPast(sql, capped, 13)
    assert.strictEqual((await evaluate(own, capped)).body.data.skipped_by, "cost_cap")
    await own.patch("/v1/end-users/ben/caps", { daily_cost_usd: 1, daily_messages: 0 })
    assert.isNull((await evaluate(own, capped)).body.data.skipped_by)
  })

  it("depend on the character's profile and the person's state, as soon as these change", async () => {
    // Without a worker, whose check each minute would postpone what has just become due.
    const lookedAtByNobody = await startTestServer({ env: { ROLES: "api" } })
    onTestFinished(lookedAtByNobody.close)
    const { sql } = lookedAtByNobody.database
    const own = await lookedAtByNobody.createApp()
    const slug = await own.createCharacter()
    const session = await own.createSession({ character_slug: slug, external_user_ref: "cleo" })
    const dueAt = async () =>
      (await sql`select initiate_at <= now() as due from relationships where session_id = ${session}`)[0]?.["due"]
    assert.isUndefined(await dueAt())
    await own.patch(`/v1/characters/${slug}`, { behavioral_thresholds: { proactive_enabled: true } })
    assert.isTrue(await dueAt())
    for (const change of [{ blocked: true }, { blocked: false }, { age_band: "minor" }]) {
      await sql`update relationships set initiate_at = 'infinity' where session_id = ${session}`
      await own.patch("/v1/end-users/cleo", change)
      assert.isTrue(await dueAt(), JSON.stringify(change))
    }
    assert.strictEqual((await evaluate(own, session, { now: inMinutes(2000) })).body.data.skipped_by, "known_minor")
    await sql`update relationships set initiate_at = 'infinity' where session_id = ${session}`
    await own.patch(policyOf(own), { daily_cap_app: 5 })
    assert.isTrue(await dueAt())
  })
})

describe("the check of due sessions each minute", () => {
  it("makes a character write when it is due, and records each skip once", async () => {
    const { sql } = server.database
    const own = await server.createApp()
    await own.patch(policyOf(own), { quiet_hours: [] })
    const session = await own.createSession({ proactive_enabled: true })
    await own.patch(`/v1/sessions/${session}/proactive-controls`, {
      proactivity_tolerance: 1,
      session_resume_enabled: false,
      min_gap_between_initiate_minutes: 0
    })
    await own.converse(session, "What is for dinner?")
    const look = async () => {
      await checkProactiveNow(sql, session)
      return until(
        "looked at",
        async () =>
          (
            await sql`select 1 from relationships
              where session_id = ${session} and initiate_at > now() + interval '3 minutes'`
          ).length > 0
      )
    }
    await look()
    await look()
    const decisions = async () => (await own.get(`${policyOf(own)}/decisions`)).body.data.decisions
    assert.deepStrictEqual(
      (await decisions()).map(({ skipped_by }: { skipped_by: string }) => skipped_by),
      ["min_idle"]
    )
    // The conversation was half a day ago.
    await sql`update session_logs set last_user_at = last_user_at - interval '13 hours',
      last_character_at = last_character_at - interval '13 hours' where session_id = ${session}`
    await sql`update sessions set created_at = created_at - interval '13 hours' where session_id = ${session}`
    await checkProactiveNow(sql, session)
    await own.waitFor(session, ({ type, payload }) => type === "character.initiated" && payload["kind"] === "proactive")
    assert.deepInclude((await decisions())[0], { decision: "sent", reason: "cold_initiate", session_id: session })
    // It has sent a proactive message: no further one before the person has written.
    assert.strictEqual((await own.get(`/v1/sessions/${session}/state`)).body.data.proactive.next_eligible_at, null)
    await own.converse(session, "And for breakfast?")
    // It is due for a check, or it was checked already.
    await until(
      "checked again",
      async () =>
        (
          await sql`select 1 from relationships
            where session_id = ${session} and initiate_at <= now() and not awaits_word`
        ).length > 0 || (await decisions())[0].decision === "skipped"
    )
  })
})
