import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let character_slug: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  character_slug = await app.createCharacter()
})
afterAll(() => server.close())

const ask = (fields: object, headers?: Record<string, string>) =>
  app.post("/v1/sessions", { character_slug, external_user_ref: "user-1", ...fields }, headers)
/** A separate thread for each test. */
const open = (fields: object = {}) => ask({ new_thread: true, ...fields })

describe("POST /v1/sessions", () => {
  it("opens an active, empty session", async () => {
    const { status, body } = await open({ external_user_ref: "fresh", metadata: { plan: "gold" } })
    assert.strictEqual(status, 200)
    assert.match(body.data.id, /^ses_/)
    assert.deepInclude(body.data, {
      character_slug,
      character_version: 1,
      external_user_ref: "fresh",
      status: "active",
      exit: null,
      last_cursor: 0,
      turn_count: 0,
      unanswered_character_turns: 0,
      metadata: { plan: "gold" },
      last_user_at: null,
      last_character_at: null,
      created: true
    })
  })

  it("accepts character and slug for character_slug, but only one of them", async () => {
    for (const alias of ["character", "slug"]) {
      const { body } = await app.post("/v1/sessions", { [alias]: character_slug, external_user_ref: "u" })
      assert.strictEqual(body.data.character_slug, character_slug)
    }
    assert.strictEqual((await open({ slug: character_slug })).status, 422)
  })

  it.each<[string, object, string]>([
    ["external_user_ref", { external_user_ref: undefined }, "body.external_user_ref: Required"],
    ["character_slug", { character_slug: undefined }, "body.character_slug: Required"],
    ["a person's timezone", { end_user: { timezone: "Mars/Olympus" } }, "body.end_user.timezone"],
    ["a short external_user_ref", { external_user_ref: "x".repeat(129) }, "body.external_user_ref: Too big"],
    ["a boolean proactive_enabled", { proactive_enabled: "yes" }, "body.proactive_enabled"]
  ])("requires %s: 422", async (_, fields, quoted) => {
    const { status, body } = await open(fields)
    assert.strictEqual(status, 422)
    assert.include(body.detail.message, quoted)
  })

  it("opens another thread with new_thread, and later requests return the newest", async () => {
    const [first, second] = [
      await ask({ external_user_ref: "again" }),
      await ask({ external_user_ref: "again", new_thread: true })
    ]
    assert.notStrictEqual(first.body.data.id, second.body.data.id)
    assert.isTrue(second.body.data.created)
    assert.strictEqual((await ask({ external_user_ref: "again" })).body.data.id, second.body.data.id)
  })

  it("returns the active thread of the person and character by default", async () => {
    const first = await ask({ external_user_ref: "reuser" })
    const second = await ask({ external_user_ref: "reuser" })
    const elsewhere = await ask({ external_user_ref: "Reuser" })
    assert.isTrue(first.body.data.created)
    assert.deepStrictEqual(second.body.data, { ...first.body.data, created: false })
    assert.isTrue(elsewhere.body.data.created)
  })

  it("leaves the active thread unchanged, and names differing fields in ignored_fields", async () => {
    const reuse = (fields: object, headers?: Record<string, string>) =>
      ask({ external_user_ref: "keeper", ...fields }, headers)
    const first = await reuse({ metadata: { plan: "gold", seats: [1, 2] }, proactive_enabled: true })
    assert.notProperty(first.body.data, "ignored_fields")
    const other = await reuse(
      { metadata: { plan: "tin" }, proactive_enabled: false, typo: 1 },
      { "idempotency-key": "keeper" }
    )
    assert.deepStrictEqual(other.body.data.ignored_fields, ["metadata", "proactive_enabled", "typo"])
    assert.deepStrictEqual(other.body.data.metadata, { plan: "gold", seats: [1, 2] })
    const again = await reuse(
      { metadata: { plan: "tin" }, proactive_enabled: false, typo: 1 },
      { "idempotency-key": "keeper" }
    )
    assert.deepStrictEqual(again.body.data, { ...other.body.data, idempotent_replay: true })
    for (const fields of [{}, { metadata: { seats: [1, 2], plan: "gold" } }, { proactive_enabled: true }])
      assert.notProperty((await reuse(fields)).body.data, "ignored_fields")
    assert.deepStrictEqual((await reuse({ proactive_enabled: null, metadata: {} })).body.data.ignored_fields, [
      "metadata",
      "proactive_enabled"
    ])
  })

  it("opens one thread for concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask({ external_user_ref: "crowd" })))
    assert.strictEqual(new Set(answers.map((answer) => answer.body.data.id)).size, 1)
    assert.strictEqual(answers.filter((answer) => answer.body.data.created).length, 1)
  })

  it("opens another thread when the last one has ended", async () => {
    const own = await app.createCharacter()
    const first = await ask({ character_slug: own })
    await server.database.sql`
        update session_logs set status = 'exited', exited_at = now(), exit_reason = 'test'
        where session_id = ${first.body.data.id}`
    assert.isTrue((await ask({ character_slug: own })).body.data.created)
  })
})

const greeted = async (greeting: unknown) =>
  app.createSession({ character_slug: await app.createCharacter(greeting === undefined ? {} : { greeting }) })

describe("a greeting", () => {
  it("is on the log as character.initiated as soon as the session is created", async () => {
    const session = await greeted("Door's open.\n\nMind the step.")
    const [event, ...rest] = await app.events(session)
    assert.deepInclude(event, {
      cursor: 1,
      type: "character.initiated",
      event_type: "character.initiated",
      role: "character",
      payload: { text: "Door's open.\nMind the step.", bubbles: ["Door's open.", "Mind the step."], kind: "greeting" }
    })
    assert.deepInclude(event?.["source_ref"], { kind: "greeting" })
    assert.match(event?.trace_id ?? "", /^run_/)
    assert.deepStrictEqual(rest, [])
    const { data } = (await app.get(`/v1/sessions/${session}`)).body
    assert.deepInclude(data, { last_cursor: 1, turn_count: 0, unanswered_character_turns: 1 })
  })

  it("may be an object with bubbles", async () => {
    const [event] = await app.events(await greeted({ bubbles: ["Oh.", "You again."] }))
    assert.deepStrictEqual(event?.payload["bubbles"], ["Oh.", "You again."])
  })

  it("is one of the alternates, if there are any", async () => {
    const [event] = await app.events(await greeted({ bubbles: ["A"], alternates: ["B"] }))
    assert.include([["A"], ["B"]].map(String), String(event?.payload["bubbles"]))
  })

  it.each([undefined, { mode: "none" }, { mode: "none", bubbles: ["Never said."] }])(
    "is not sent if none is authored: %j",
    async (greeting) => {
      assert.deepStrictEqual(await app.events(await greeted(greeting)), [])
    }
  )

  it("is sent once per thread, and not again when the thread is returned", async () => {
    const own = await app.createCharacter({ greeting: "Hello." })
    const { body } = await ask({ character_slug: own })
    await ask({ character_slug: own })
    assert.strictEqual((await app.events(body.data.id)).length, 1)
  })
})

describe("GET /v1/sessions", () => {
  it("lists from the newest, each session once", async () => {
    const own = await server.createApp()
    const slug = await own.createCharacter()
    const made: Array<string> = []
    for (let n = 0; n < 5; n++) made.unshift(await own.createSession({ character_slug: slug }))
    const seen: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data }: Answer["body"] = (await own.get(`/v1/sessions?limit=2&cursor=${cursor}`)).body
      seen.push(...data.sessions.map((session: { id: string }) => session.id))
      cursor = data.next_cursor
    }
    assert.deepStrictEqual(seen, made)
  })

  it("filters by character, person and status", async () => {
    const own = await server.createApp()
    const [a, b] = [await own.createCharacter(), await own.createCharacter()]
    const ids = [
      await own.createSession({ character_slug: a, external_user_ref: "p q/1" }),
      await own.createSession({ character_slug: b, external_user_ref: "p2" })
    ]
    await own.delete(`/v1/characters/${b}?end_sessions=true`)
    const idsOf = async (query: string) =>
      (await own.get(`/v1/sessions?${query}`)).body.data.sessions.map((session: { id: string }) => session.id)
    assert.deepStrictEqual(await idsOf(`character_slug=${a}`), [ids[0]])
    assert.deepStrictEqual(await idsOf(`external_user_ref=${encodeURIComponent("p q/1")}`), [ids[0]])
    assert.deepStrictEqual(await idsOf("status=exited"), [ids[1]])
    assert.deepStrictEqual(await idsOf("status=archived"), [])
  })

  it.each(["limit=0", "limit=101", "cursor=%20", "status=gone"])("refuses %s with 422", async (query) => {
    assert.strictEqual((await app.get(`/v1/sessions?${query}`)).status, 422)
  })
})

describe("GET /v1/sessions/{id}/state", () => {
  it("returns an empty, redacted meter until the app opts in", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    const meter = async () => (await own.get(`/v1/sessions/${session}/state`)).body.data.relational_meter
    const score_contract = {
      score_version: "relationship_scores.v1",
      scale: { min: 0, max: 1 },
      semantics: { monotonic: false, may_move_down: true }
    }
    assert.deepStrictEqual(await meter(), { relationship_scores: [], score_contract, redacted: true })
    await own.patch(`/v1/apps/${own.appId}`, { expose_relational_numerics: true })
    assert.isFalse((await meter()).redacted)
  })

  it("takes each proactive control from the session, then the character, then the app", async () => {
    const slug = await app.createCharacter({
      behavioral_thresholds: { proactive_enabled: true, proactivity_tolerance: 0.4, withhold: 0.9 }
    })
    const stateOf = async (fields: object) =>
      (await app.get(`/v1/sessions/${await app.createSession({ character_slug: slug, ...fields })}/state`)).body.data
        .proactive
    const own = await stateOf({ proactive_enabled: false })
    assert.deepInclude(own.effective, { proactive_enabled: false, proactivity_tolerance: 0.4 })
    assert.deepInclude(own.sources, {
      proactive_enabled: "session",
      proactivity_tolerance: "character",
      daily_initiate_cap: "app"
    })
    assert.hasAllKeys(own.effective, Object.keys(own.sources))
    const cleared = await stateOf({ proactive_enabled: null })
    assert.isTrue(cleared.effective.proactive_enabled)
    assert.strictEqual(cleared.sources.proactive_enabled, "character")
  })

  it("names the session and the turn in progress", async () => {
    const session = await app.createSession({ character_slug })
    const stateOf = async () => (await app.get(`/v1/sessions/${session}/state`)).body.data
    assert.deepStrictEqual((await stateOf()).turn, { state: "idle", run_ref: null })
    await app.converse(session, "What is for dinner?")
    // A turn that nobody may claim yet.
    await server.database.sql`
      insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd,
        due_at)
      values (${app.appId}, ${session}, 2, 'run_waiting', 9, 'fast', 'api', 0, now() + interval '1 hour')`
    const state = await stateOf()
    assert.deepStrictEqual(state.turn, { state: "generating", run_ref: "run_waiting" })
    assert.strictEqual(state.session.id, session)
    assert.deepInclude(state.session, { turn_count: 1, unanswered_character_turns: 1 })
  })
})

describe("an archived character", () => {
  it("keeps its open threads, and gets no new ones", async () => {
    const character_slug = await app.createCharacter()
    const session = await app.createSession({ character_slug, external_user_ref: "loyal" })
    await app.delete(`/v1/characters/${character_slug}`)
    const again = await app.post("/v1/sessions", { character_slug, external_user_ref: "loyal" })
    assert.deepStrictEqual([again.status, again.body.data.id, again.body.data.created], [200, session, false])
    const other = await app.post("/v1/sessions", { character_slug, external_user_ref: "newcomer" })
    assert.deepStrictEqual([other.status, other.body.detail.code], [409, "character_archived"])
  })

  it("has no active session left if they are to end, even if others are being opened", async () => {
    const character_slug = await app.createCharacter()
    const opening = Array.from({ length: 8 }, (_, n) =>
      app.post("/v1/sessions", { character_slug, external_user_ref: `racer-${n}` })
    )
    await app.delete(`/v1/characters/${character_slug}?end_sessions=true`)
    await Promise.all(opening)
    assert.deepStrictEqual(
      (await app.get(`/v1/sessions?character_slug=${character_slug}&status=active`)).body.data.sessions,
      []
    )
  })
})

describe("a greeting", () => {
  it("fills in the names of the character and the person", async () => {
    const character_slug = await app.createCharacter({ greeting: "Hello {{user}}, I am {{char}}." })
    const session = await app.createSession({ character_slug, end_user: { display_name: "Bo" } })
    const [event] = await app.events(session)
    assert.deepStrictEqual(event?.payload["bubbles"], ["Hello Bo, I am Mara."])
  })
})
