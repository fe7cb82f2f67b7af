import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { type Behaviour, type FakeModel, start } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let model: FakeModel
let server: TestServer
let app: TestApp
/** Of a server that waits for the model as long as it takes. */
let patient: TestServer
let patientApp: TestApp
let otherwise: Behaviour = { kind: "ok" }
beforeAll(async () => {
  model = await start({ otherwise: ({ question }) => (question === "reply" ? otherwise : { kind: "ok" }) })
  server = await startTestServer({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_TIMEOUT_SECONDS: "0.4",
      TURN_DEADLINE_FAST_SECONDS: "30",
      TURN_DEADLINE_DEEP_SECONDS: "30"
    }
  })
  app = await server.createApp()
  patient = await startTestServer({ env: { OPENAI_BASE_URL: model.url } })
  patientApp = await patient.createApp()
})
afterEach(() => {
  otherwise = { kind: "ok" }
})
afterAll(async () => {
  await server.close()
  await patient.close()
  await model.close()
})

const endOf = async (text: string, reply_mode: "fast" | "deep", by = patientApp) => {
  const session = await by.createSession()
  const { body } = await by.post(`/v1/sessions/${session}/messages`, { text, reply_mode })
  return by.waitFor(
    session,
    (event) =>
      event.trace_id === body.data.run_ref &&
      (event.type === "message.failed" || (event.type === "message.created" && event.role === "character"))
  )
}

describe("a model that does not answer in time", () => {
  it.each([
    ["never answers", "fast", { kind: "stall" }],
    ["never answers", "deep", { kind: "stall" }],
    ["stops in the middle of its answer", "fast", { kind: "stalled_body" }],
    ["stops in the middle of its answer", "deep", { kind: "stalled_body" }],
    ["is cut off by the gateway in front of it", "fast", { kind: "status", status: 504, body: "upstream timed out" }]
  ] as const)("ends the turn as timed_out: one that %s, in %s mode", async (_, mode, behaviour) => {
    otherwise = behaviour
    const ended = await endOf("Hello?", mode, app)
    assert.deepInclude(ended.payload, { reason: "timed_out", recoverable: true })
  })

  it("is distinguished from one that fails", async () => {
    otherwise = { kind: "status", status: 401, body: {} }
    assert.deepInclude((await endOf("Hello?", "fast")).payload, { reason: "generation_failed" })
  })
})

describe("an answer that is not JSON", () => {
  it("is never shown to a person, and does not change how the model is called from then on", async () => {
    const prose = "As an AI language model, here is the JSON you asked for."
    model.script({ kind: "plain_text", text: prose })
    const reply = await endOf("Hello?", "fast")
    assert.deepStrictEqual(reply.payload["bubbles"], ["hello from the fake"])
    model.script(
      { kind: "plain_text", text: prose },
      { kind: "plain_text", text: prose },
      { kind: "plain_text", text: prose },
      { kind: "plain_text", text: prose }
    )
    assert.notInclude(JSON.stringify(await endOf("Still there?", "fast")), prose)
    otherwise = { kind: "ok" }
    const before = model.requests.length
    await endOf("And now?", "deep")
    assert.isTrue(
      model.requests.slice(before).every(({ format, question }) => question === "reply" || format !== "text")
    )
  })
})

describe("the sampling settings", () => {
  it("are the operator's, and within them the author's", async () => {
    const env = {
      OPENAI_BASE_URL: model.url,
      OPENAI_TEMPERATURE: "0.7",
      OPENAI_PRESENCE_PENALTY: "0.2",
      OPENAI_MAX_TOKENS: "500",
      OPENAI_ANALYZE: "off"
    }
    const other = await startTestServer({ env })
    try {
      const by = await other.createApp()
      const before = model.requests.length
      await by.converse(await by.createSession(), "Hello?")
      const own = await by.createCharacter({
        generation: { temperature: 1.1, max_tokens: 4_000, frequency_penalty: 0.5 }
      })
      await by.converse(await by.createSession({ character_slug: own }), "Hello?")
      // Nobody analyses the messages.
      assert.deepStrictEqual(
        model.requests.slice(before).map(({ question, drawing }) => [question, drawing]),
        [
          ["reply", { max_tokens: 500, temperature: 0.7, presence_penalty: 0.2 }],
          ["reply", { max_tokens: 500, temperature: 1.1, presence_penalty: 0.2, frequency_penalty: 0.5 }]
        ]
      )
      assert.strictEqual(
        (await by.post("/v1/characters", { slug: "too-hot", display_name: "Mara", generation: { temperature: 3 } }))
          .status,
        422
      )
    } finally {
      await other.close()
    }
  })

  it("are not sent to a model that accepts none of them", async () => {
    const other = await startTestServer({
      env: { OPENAI_BASE_URL: model.url, OPENAI_TEMPERATURE: "0.7", OPENAI_ANALYZE: "off" }
    })
    try {
      const by = await other.createApp()
      const session = await by.createSession()
      const before = model.requests.length
      model.script({
        kind: "status",
        status: 400,
        body: { error: { message: "Unsupported value: 'temperature'", param: "temperature" } }
      })
      await by.converse(session, "Hello?")
      model.script({ kind: "ok", bubbles: ["The soup is ready."] })
      await by.converse(session, "And now?")
      assert.deepStrictEqual(
        model.requests.slice(before).map(({ drawing }) => drawing["temperature"] ?? null),
        [0.7, null, null]
      )
    } finally {
      await other.close()
    }
  })
})
