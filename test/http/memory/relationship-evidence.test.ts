import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({})
  app = await server.createApp()
})
afterAll(() => server.close())

const say = async (session: string, text: string) => {
  const { trace_id } = await app.converse(session, text)
  await until("memory extraction", async () =>
    (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled ? true : undefined
  )
}

describe("open loops", () => {
  const loops = async (session: string, query = "") =>
    (await app.get(`/v1/sessions/${session}/open-loops${query}`)).body.data.open_loops

  it("are listed with the words that opened them, by status and in pages", async () => {
    const session = await app.createSession()
    await say(session, "I have a chemistry exam tomorrow.")
    await say(session, "I'll send you a photo of the cake.")
    const all = await loops(session)
    assert.deepStrictEqual(
      all.map(({ kind }: { kind: string }) => kind),
      ["promise", "event_followup"]
    )
    assert.deepInclude(all[1], {
      owner: "user",
      status: "open",
      session_id: session,
      text: "I have a chemistry exam tomorrow."
    })
    assert.deepInclude(all[1].evidence[0], { quote: "I have a chemistry exam tomorrow." })
    assert.deepStrictEqual(await loops(session, "?status=resolved"), [])
    const { open_loops, next_cursor } = (await app.get(`/v1/sessions/${session}/open-loops?limit=1`)).body.data
    assert.deepStrictEqual([...open_loops, ...(await loops(session, `?cursor=${next_cursor}`))], all)
  })

  it("are closed, reopened and given a date by the app", async () => {
    const session = await app.createSession()
    await say(session, "I have a chemistry exam tomorrow.")
    const [{ id }] = await loops(session)
    const at = `/v1/sessions/${session}/open-loops/${id}`
    assert.strictEqual((await app.patch(at, { status: "dismissed" })).body.data.status, "dismissed")
    assert.strictEqual((await app.get(`/v1/sessions/${session}/state`)).body.data.open_loop_count, 0)
    const due = (await app.patch(at, { status: "open", due_at: "2026-12-24T18:00:00+01:00", typo: 1 })).body.data
    assert.deepInclude(due, { status: "open", due_at: "2026-12-24T17:00:00.000Z", ignored_fields: ["typo"] })
    assert.isNull((await app.patch(at, { due_at: null })).body.data.due_at)
    assert.strictEqual((await app.patch(at, { status: "gone" })).status, 422)
    assert.strictEqual(
      (await app.patch(`/v1/sessions/${session}/open-loops/lop_none`, { status: "gone" })).body.detail.code,
      "open_loop_not_found"
    )
  })
})

describe("preferences about being written to", () => {
  const at = (session: string) => `/v1/sessions/${session}/proactive-preferences`

  it("are empty at first, and learned from what the person says", async () => {
    const session = await app.createSession()
    assert.deepStrictEqual((await app.get(at(session))).body.data, {
      opted_out: false,
      preferred_hours: [],
      timezone: null,
      frequency: "normal",
      topics_welcome: [],
      topics_avoid: [],
      field_sources: {}
    })
    await say(session, "Stop texting me.")
    assert.deepInclude((await app.get(at(session))).body.data, {
      opted_out: true,
      field_sources: { opted_out: "explicit" }
    })
  })

  it("are set and cleared by the app, field by field", async () => {
    const session = await app.createSession()
    const set = {
      preferred_hours: [{ from: "18:00", to: "21:30" }],
      timezone: "Europe/Oslo",
      frequency: "less",
      topics_avoid: ["work"]
    }
    assert.deepInclude((await app.patch(at(session), set)).body.data, {
      ...set,
      opted_out: false,
      field_sources: { preferred_hours: "app", timezone: "app", frequency: "app", topics_avoid: "app" }
    })
    assert.deepInclude((await app.patch(at(session), { frequency: null })).body.data, {
      frequency: "normal",
      timezone: "Europe/Oslo",
      field_sources: { preferred_hours: "app", timezone: "app", topics_avoid: "app" }
    })
  })

  it("can be opted out of and in again by the app, but not against the person's own request", async () => {
    const session = await app.createSession()
    assert.isTrue((await app.patch(at(session), { opted_out: true })).body.data.opted_out)
    assert.isFalse((await app.patch(at(session), { opted_out: null })).body.data.opted_out)
    await say(session, "Stop texting me.")
    for (const opted_out of [false, null])
      assert.strictEqual((await app.patch(at(session), { opted_out })).body.detail.code, "person_opted_out")
    assert.deepInclude((await app.patch(at(session), { opted_out: true, frequency: "less" })).body.data, {
      opted_out: true,
      field_sources: { opted_out: "explicit", frequency: "app" }
    })
  })

  it("set by the app yield to what the person says, but not to what is inferred", async () => {
    const session = await app.createSession()
    await app.patch(at(session), { frequency: "more" })
    await say(session, "Please write me less often.")
    const { frequency, field_sources } = (await app.get(at(session))).body.data
    assert.deepStrictEqual([frequency, field_sources.frequency], ["less", "explicit"])
  })

  it("are refused if they are out of range", async () => {
    const session = await app.createSession()
    for (const body of [
      { frequency: "never" },
      { preferred_hours: [{ from: "25:00", to: "26:00" }] },
      { preferred_hours: [{ from: "09:00", to: "09:00" }] },
      { timezone: "+02:00" },
      { topics_avoid: ["x".repeat(61)] }
    ]) {
      assert.strictEqual((await app.patch(at(session), body)).status, 422)
    }
  })
})

describe("snapshots", () => {
  it("are taken every ten turns, without stage and scores until the app opts in", async () => {
    const session = await app.createSession()
    const latest = () => app.get(`/v1/sessions/${session}/snapshots/latest`)
    assert.strictEqual((await latest()).body.detail.code, "snapshot_not_found")
    assert.deepStrictEqual((await app.get(`/v1/sessions/${session}/snapshots`)).body.data, {
      snapshots: [],
      next_cursor: null
    })
    for (let n = 0; n < 10; n++) await app.send(session, `My sister Nadia plays the cello number ${n}. Thank you!`)
    const snapshot = await until("the snapshot", async () => {
      const { status, body } = await latest()
      return status === 200 ? body.data : undefined
    })
    assert.deepInclude(snapshot, { session_id: session, turn_index: 10, stage: null, scores: null })
    assert.include(snapshot.summary, "cello")
    assert.isAtLeast(snapshot.highlights.length, 1)
    await app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics: true })
    const [open] = (await app.get(`/v1/sessions/${session}/snapshots`)).body.data.snapshots
    assert.isString(open.stage)
    assert.sameMembers(Object.keys(open.scores[0]), ["key", "label", "value", "lower_is_open", "updated_at", "version"])
    assert.isAbove(open.scores.find(({ key }: { key: string }) => key === "warmth").value, 0.3)
  })
})
