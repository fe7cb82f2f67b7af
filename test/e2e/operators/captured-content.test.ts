import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { attribute, type Collector, startCollector } from "#test/support/Collector.ts"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const MARKED = "My sister Zanzibar plays the cello."
const REPLY = "Does Quetzalcoatl play too?"
const WORDS = ["Zanzibar", "Quetzalcoatl"]
/** Where prompts and replies may be. */
const CONTENT = ["gen_ai.input.messages", "gen_ai.output.messages"]
const MODEL_KEY = "sk-of-the-model"
const COLLECTOR_KEY = "the-token-of-the-collector"

let collector: Collector
let model: Server
let receiver: Receiver
let database: TestDatabase
let server: TroupeProcess
let app: TestApp
let streamToken: string

beforeAll(async () => {
  collector = await startCollector()
  model = createServer((request, response) => {
    request.resume()
    const reply = JSON.stringify({ decision: "reply", exit_reason: null, bubbles: [REPLY], cited_memory_ids: [] })
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ message: { content: reply } }], usage: { prompt_tokens: 9 } }))
  }).listen(0, "127.0.0.1")
  await once(model, "listening")
  receiver = await startReceiver(status(200))
  database = await createTestDatabase()
  server = await startTroupe({
    DATABASE_URL: database.url,
    SECRETS_KEY,
    OUTBOUND_ALLOW: "127.0.0.1",
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: MODEL_KEY,
    OPENAI_MODEL: "some-model",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_KEY}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_METRIC_EXPORT_INTERVAL: "500",
    OTEL_CAPTURE_CONTENT: "true",
    LOG_LEVEL: "debug"
  })
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp(server.baseUrl, appId, key)
  const session = await app.createSession()
  await app.post(`/v1/apps/${appId}/channels`, { kind: "webhook", url: receiver.url, session_id: session })
  await app.converse(session, MARKED)
  streamToken = (await app.post(`/v1/sessions/${session}/stream-token`, {})).body.data.token
  for (const path of [`/v1/sessions/${session}/events`, `/v1/sessions/${session}`, "/v1/no-such-route"])
    await fetch(`${server.baseUrl}${path}?token=${streamToken}`)
  await until("the call and the push to be exported", () => {
    const names = new Set(collector.spans().map(({ name }) => name))
    return names.has("chat some-model") && names.has("deliver webhook") && names.has("turn")
  })
  await until("metrics and logs", () => collector.paths().length === 3)
})
afterAll(async () => {
  await server.stop("SIGTERM")
  collector.close()
  model.close()
  model.closeAllConnections()
  await receiver.close()
  await database.drop()
})

describe("OTEL_CAPTURE_CONTENT", () => {
  it("adds the prompt and the answer to the spans of calls to models", () => {
    const call = collector
      .spans()
      .find((span) => span.name === "chat some-model" && String(attribute(span, CONTENT[1] ?? "")).includes(REPLY))
    assert.isDefined(call)
    if (call === undefined) return
    assert.include(String(attribute(call, CONTENT[0] ?? "")), MARKED)
  })

  it("adds them nowhere else: not to other spans and attributes, metrics, logs or the process's own log", () => {
    const elsewhere = collector
      .spans()
      .flatMap(({ name, attributes, status }) => [
        name,
        JSON.stringify(status),
        JSON.stringify(attributes.filter(({ key }) => !CONTENT.includes(key)))
      ])
    const all = [...elsewhere, collector.text("/v1/metrics"), collector.text("/v1/logs"), server.stderr()].join("\n")
    for (const word of WORDS) assert.isFalse(all.includes(word), word)
  })

  it("never shows a secret", () => {
    const all = collector.text() + server.stderr()
    for (const secret of [app.key, streamToken, MODEL_KEY, COLLECTOR_KEY, SECRETS_KEY])
      assert.isFalse(all.includes(secret), secret)
  })
})
