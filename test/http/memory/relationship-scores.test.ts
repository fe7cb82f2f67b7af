import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { RelationalMeter } from "#src/http/conversation/sessionStateSchemas.ts"
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

const optIn = (expose_relational_numerics: boolean) =>
  app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics })
const say = async (session: string, text: string) => {
  const { trace_id } = await app.converse(session, text)
  await until("memory extraction", async () =>
    (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0].settled ? true : undefined
  )
}
const scores = async (session: string) => (await app.get(`/v1/sessions/${session}/relationship-scores`)).body.data
const state = async (session: string) => (await app.get(`/v1/sessions/${session}/state`)).body.data

describe("relationship scores", () => {
  it("are an empty, redacted meter before the app opts in, and there is no stage either", async () => {
    const session = await app.createSession()
    await say(session, "Thank you so much, you are wonderful!")
    const meter = await scores(session)
    assert.deepStrictEqual(meter, {
      relationship_scores: [],
      score_contract: {
        score_version: "relationship_scores.v1",
        scale: { min: 0, max: 1 },
        semantics: { monotonic: false, may_move_down: true }
      },
      redacted: true
    })
    assert.deepStrictEqual((await state(session)).relational_meter, meter)
    assert.isNull((await state(session)).stage)
  })

  it("are the final values once it has, the same in the state as on their own route", async () => {
    const session = await app.createSession()
    await say(session, "Thank you so much, you are wonderful!")
    await optIn(true)
    const meter = await scores(session)
    assert.isTrue(RelationalMeter.strict().safeParse(meter).success)
    assert.isFalse(meter.redacted)
    assert.deepStrictEqual(
      meter.relationship_scores.map(({ key }: { key: string }) => key),
      ["trust", "warmth", "respect"]
    )
    const warmth = meter.relationship_scores.find(({ key }: { key: string }) => key === "warmth")
    assert.sameMembers(Object.keys(warmth), ["key", "label", "value", "lower_is_open", "updated_at", "version"])
    assert.isAbove(warmth.value, 0.3)
    const { relational_meter, stage, emotion } = await state(session)
    assert.deepStrictEqual(relational_meter, meter)
    assert.strictEqual(stage, "acquainted")
    assert.strictEqual(emotion.label, "gratitude")
    await optIn(false)
    assert.isTrue((await scores(session)).redacted)
  })

  it("are the author's initial values while nothing has changed them", async () => {
    await optIn(true)
    const character_slug = await app.createCharacter({
      relationship_posture: {
        schema: "custom",
        dimensions: [{ key: "awe", label: "Awe", start: 0.125, lower_is_open: true }]
      }
    })
    const session = await app.createSession({ character_slug })
    const { created_at } = (await app.get(`/v1/sessions/${session}`)).body.data
    assert.deepStrictEqual((await scores(session)).relationship_scores, [
      { key: "awe", label: "Awe", value: 0.125, lower_is_open: true, updated_at: created_at, version: created_at }
    ])
    await optIn(false)
  })
})

describe("the state", () => {
  it("shows how many loops are open, and what the character currently feels", async () => {
    const character_slug = await app.createCharacter({
      baseline_emotion: { label: "joy", valence: 0.5, arousal: 0.5, recovery_half_life_minutes: 60 }
    })
    const session = await app.createSession({ character_slug })
    assert.deepInclude((await state(session)).emotion, { label: "joy", valence: 0.5, arousal: 0.5 })
    await say(session, "I have a chemistry exam tomorrow. You are an idiot.")
    const { emotion, open_loop_count } = await state(session)
    assert.isAtLeast(open_loop_count, 1)
    assert.isBelow(emotion.valence, 0.5)
    await server.database.sql`
        update relationships set bearing = jsonb_set(bearing::jsonb, '{emotion,updated_at}',
        '"2020-01-01T00:00:00.000Z"')::json where session_id = ${session}`
    assert.deepInclude((await state(session)).emotion, {
      label: "joy",
      valence: 0.5,
      arousal: 0.5,
      updated_at: "2020-01-01T00:00:00.000Z"
    })
  })
})
