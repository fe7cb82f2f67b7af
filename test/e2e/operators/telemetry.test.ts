import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { gunzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
  readonly status: { readonly code: number }
}

const MARKED = "My sister Zanzibar plays the cello."
const REPLY = "Does Quetzalcoatl play too?"
const HEADER_SECRET = "the-token-of-the-collector"
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const CALLER = "00f067aa0ba902b7"
const STRANGER = "5cf92f3577b34da6a3ce929d0e0e4736"

/** What the collector has received, as text, and the spans in it. */
const bodies: Array<string> = []
const paths = new Set<string>()
const authorizations = new Set<string | undefined>()
const spans = (): ReadonlyArray<Span> =>
  bodies.flatMap((body) =>
    (JSON.parse(body).resourceSpans ?? []).flatMap((resource: { scopeSpans: ReadonlyArray<{ spans: Array<Span> }> }) =>
      resource.scopeSpans.flatMap((scope) => scope.spans)
    )
  )
const traced = () => spans().filter(({ traceId }) => traceId === TRACE)
const ofStrangers = () => spans().filter(({ name }) => name === "GET /v1/llms.txt")
const attribute = (span: Span, key: string) => Object.values(span.attributes.find((a) => a.key === key)?.value ?? {})[0]

let collector: Server
let model: Server
let answers = false
let asked = 0
let receiver: Receiver
let database: TestDatabase
let api: TroupeProcess
let worker: TroupeProcess
let app: TestApp
const bodyOf = async (request: AsyncIterable<Buffer>) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
/** The push of the reply, and the id of its span. */
const pushOfReply = () => {
  const pushed = receiver.requests.find(({ body }) => body.toString().includes(REPLY))
  const [, traceId, spanId] = String(pushed?.headers["traceparent"]).split("-")
  return { traceId, spanId }
}

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = await bodyOf(request)
    paths.add(request.url ?? "")
    authorizations.add(request.headers.authorization)
    bodies.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString())
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  }).listen(0, "127.0.0.1")
  model = createServer((request, response) => {
    request.resume()
    asked++
    // It says nothing until the worker that asks it has been killed.
    if (!answers) return
    const reply = JSON.stringify({ decision: "reply", exit_reason: null, bubbles: [REPLY], cited_memory_ids: [] })
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        choices: [{ message: { content: reply } }],
        usage: { prompt_tokens: 120, completion_tokens: 9 }
      })
    )
  }).listen(0, "127.0.0.1")
  await Promise.all([once(collector, "listening"), once(model, "listening")])
  receiver = await startReceiver(status(200))
  database = await createTestDatabase()
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY,
    OUTBOUND_ALLOW: "127.0.0.1",
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: "sk-of-the-model",
    OPENAI_MODEL: "some-model",
    OPENAI_ANALYZE: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${HEADER_SECRET}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_METRIC_EXPORT_INTERVAL: "500"
  }
  api = await startTroupe({ ...env, ROLES: "api" })
  worker = await startTroupe({ ...env, ROLES: "worker" })
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp(api.baseUrl, appId, key)
  const session = await app.createSession()
  await app.post(`/v1/apps/${appId}/channels`, { kind: "webhook", url: receiver.url, session_id: session })
  for (const headers of [{}, { authorization: "Bearer gk_unknown" }])
    await fetch(`${api.baseUrl}/v1/llms.txt`, { headers: { ...headers, traceparent: `00-${STRANGER}-${CALLER}-01` } })
  await app.send(session, MARKED, { traceparent: `00-${TRACE}-${CALLER}-01` })
  await until("the first worker to ask the model", () => asked > 0)
  await worker.stop("SIGKILL")
  answers = true
  worker = await startTroupe({ ...env, ROLES: "worker" })
  await app.waitFor(session, ({ type, role }) => type === "message.created" && role === "character")
  await until("the run and the delivery of its reply to be exported", () => {
    const { spanId } = pushOfReply()
    return traced().some((span) => span.spanId === spanId) && traced().some(({ name }) => name === "turn")
  })
  await until("the requests without a key", () => ofStrangers().length === 2)
  await until("metrics and logs", () => paths.size === 3)
})
afterAll(async () => {
  await Promise.all([api.stop("SIGTERM"), worker.stop("SIGTERM")])
  collector.close()
  model.close()
  model.closeAllConnections()
  await receiver.close()
  await database.drop()
})

describe("a collector", () => {
  it("receives one trace of a turn, from the caller's request through another process to the push", () => {
    const names = new Set(traced().map(({ name }) => name))
    for (const name of [
      "POST /v1/sessions/:session_id/messages",
      "turn",
      "retrieval",
      "safety",
      "generation",
      "chat some-model",
      "emission",
      "settle",
      "deliver webhook"
    ])
      assert.isTrue(names.has(name), `${name} among ${[...names].join(", ")}`)
    const request = traced().find(({ name }) => name.startsWith("POST "))
    assert.strictEqual(request?.parentSpanId, CALLER)
    const run = traced().find(({ name }) => name === "turn")
    assert.strictEqual(run?.parentSpanId, request?.spanId)
    const byId = new Map(traced().map((span) => [span.spanId, span]))
    for (const name of ["settle", "generation", "chat some-model"]) {
      let at = traced().findLast((span) => span.name === name)
      while (at !== undefined && at.spanId !== run?.spanId) at = byId.get(at.parentSpanId ?? "")
      assert.isDefined(at, `${name} is in the run of the turn`)
    }
  })

  it("receives requests without a key in traces of their own, whatever trace they name", () => {
    for (const { traceId } of ofStrangers()) assert.notStrictEqual(traceId, STRANGER)
  })

  it("shows that the turn was run again after its first worker had died", () => {
    const run = traced().find(({ name }) => name === "turn")
    assert.isAtLeast(Number(run === undefined ? 0 : attribute(run, "troupe.fence")), 2)
    assert.strictEqual(run === undefined ? "" : attribute(run, "troupe.outcome"), "replied")
  })

  it("receives what a model was asked by the names of OpenTelemetry, and not what it was asked", () => {
    const call = traced().find(({ name }) => name === "chat some-model")
    assert.isDefined(call)
    if (call === undefined) return
    assert.strictEqual(attribute(call, "gen_ai.operation.name"), "chat")
    assert.strictEqual(attribute(call, "gen_ai.request.model"), "some-model")
    assert.equal(attribute(call, "gen_ai.usage.input_tokens"), 120)
    assert.equal(attribute(call, "gen_ai.usage.output_tokens"), 9)
    assert.isUndefined(attribute(call, "gen_ai.input.messages"))
  })

  it("receives no secret, and nothing that a person or a character wrote", () => {
    const all = bodies.join("\n") + api.stderr() + worker.stderr()
    for (const marked of ["Zanzibar", "Quetzalcoatl", app.key, "sk-of-the-model", HEADER_SECRET, SECRETS_KEY])
      assert.isFalse(all.includes(marked), marked)
  })

  it("is addressed as the variables say, with traces, metrics and logs", () => {
    assert.deepStrictEqual([...paths].sort(), ["/v1/logs", "/v1/metrics", "/v1/traces"])
    assert.deepStrictEqual([...authorizations], [`Bearer ${HEADER_SECRET}`])
    const all = bodies.join("\n")
    for (const part of ["troupe_accept_seconds", "deployment.environment.name", '"stringValue":"troupe"'])
      assert.include(all, part)
  })
})

describe("a webhook", () => {
  it("carries the trace of its turn", () => {
    const { traceId, spanId } = pushOfReply()
    assert.strictEqual(traceId, TRACE)
    assert.strictEqual(traced().find((span) => span.spanId === spanId)?.name, "deliver webhook")
  })
})
