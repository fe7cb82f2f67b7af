import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { completionOf } from "#test/support/model/cannedServer.ts"
import { type Behaviour, type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { PROVIDER_SECRET } from "#test/support/model/providerSecret.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"

let model: FakeModel
let server: TestServer
let app: TestApp
let operator: TestApp
let otherwise: Behaviour = { kind: "ok" }
beforeAll(async () => {
  model = await start({ otherwise: () => otherwise })
  server = await startTestServer({ env: { ADMIN_TOKEN, OPENAI_BASE_URL: model.url, OPENAI_ANALYZE: "off" } })
  app = await server.createApp()
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const generationsOf = async (session: string, runRef: unknown): Promise<ReadonlyArray<Record<string, any>>> => {
  const { body } = await app.get(`/v1/sessions/${session}/trace?run_ref=${String(runRef)}`)
  return body.data.trace[0].stages.filter(({ stage }: { stage: string }) => stage === "generation")
}
const health = async () => {
  const { checks, problems } = (await operator.get("/admin/health")).body.data
  return {
    check: checks.find(({ name }: { name: string }) => name === "model"),
    problem: problems.find(({ kind }: { kind: string }) => kind === "model_failing")
  }
}

describe("the reason for which a reply failed", () => {
  it.each([
    ["out_of_credit", { error: { code: 402, message: `You need more credits ${PROVIDER_SECRET}` } }, 1, /bill/],
    ["no_answer", { hello: "world" }, 2, /OPENAI_BASE_URL/]
  ])("is %s in the trace and in health, with what the server said and what to do", async (reason, body, calls, fix) => {
    otherwise = { kind: "status", status: 200, body }
    const before = model.requests.length
    const session = await app.createSession()
    const failed = await app.converse(session, "Hello?")
    assert.strictEqual(failed.type, "message.failed")
    assert.lengthOf(model.requests.slice(before), calls)
    const stages = await generationsOf(session, failed.trace_id)
    assert.lengthOf(stages, calls)
    assert.strictEqual(stages[0]?.["detail"].reason, reason)
    assert.match(stages[0]?.["detail"].fix, fix)
    const { check, problem } = await health()
    assert.deepInclude(check.evidence, { state: "failing", reason })
    assert.strictEqual(problem.evidence.last_failure, reason)
    assert.match(problem.next_step.description, fix)
    assert.notInclude(JSON.stringify([stages, check, problem]), PROVIDER_SECRET)
    otherwise = { kind: "ok" }
    await app.converse(session, "And now?")
    assert.deepInclude((await health()).check.evidence, { state: "working", reason: null, format: "strict_schema" })
  })

  it("is in the trace of a reply that was cut, with the setting", async () => {
    otherwise = { kind: "status", status: 200, body: completionOf("The lamp is lit. The kettle is o", "length") }
    const session = await app.createSession()
    const reply = await app.converse(session, "Hello?")
    assert.deepStrictEqual(reply.payload["bubbles"], ["The lamp is lit."])
    const [stage] = await generationsOf(session, reply.trace_id)
    assert.match(stage?.["detail"].notes.join(), /^cut at the token limit: OPENAI_MAX_TOKENS allowed \d+$/)
    otherwise = { kind: "ok" }
  })

  it("is none for a reply that speaks of a marker of thoughts", async () => {
    const text = "The old terminal said </think> once, and then it went dark."
    otherwise = { kind: "plain_text", text: `[THINK]plan[/THINK]${text}` }
    const reply = await app.converse(await app.createSession(), "Hello?")
    assert.deepStrictEqual(reply.payload["bubbles"], [text])
    otherwise = { kind: "ok" }
  })
})
