import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/accounts/createAppIn.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { startTroupe, type TroupeProcess } from "#test/support/TroupeProcess.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

const MARKED = "My sister is called Zanzibar."
let model: Server
let works = false
let database: TestDatabase
let server: TroupeProcess
let app: TestApp
beforeAll(async () => {
  model = createServer((request, response) => {
    request.resume()
    const reply = JSON.stringify({ decision: "reply", exit_reason: null, bubbles: ["Soup."], cited_memory_ids: [] })
    const answer = works
      ? { choices: [{ message: { content: reply } }] }
      : { error: { message: `the prompt was: ${MARKED}` } }
    response.writeHead(works ? 200 : 500, { "content-type": "application/json" }).end(JSON.stringify(answer))
  }).listen(0, "127.0.0.1")
  await once(model, "listening")
  database = await createTestDatabase()
  server = await startTroupe({
    DATABASE_URL: database.url,
    SECRETS_KEY,
    OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    OPENAI_MODEL: "broken",
    OPENAI_ANALYZE: "off",
    // The test talks for half a minute until the model is asked again.
    MESSAGES_PER_MINUTE: "1000000",
    LOG_LEVEL: "debug"
  })
  const { appId, key } = await createAppIn(database.sql)
  app = new TestApp(server.baseUrl, appId, key)
})
afterAll(async () => {
  await server.stop("SIGTERM")
  model.close()
  await database.drop()
})

type Line = Readonly<Record<string, unknown>>
const lines = (event: string): ReadonlyArray<Line> =>
  server
    .stderr()
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "")
    .map((line): Line => JSON.parse(line))
    .filter((line) => line["event"] === event && (line["dependency"] ?? "model") === "model")

describe("a model that answers 500 to everything", () => {
  it("is logged once when it begins to fail, and once when it works again, without a text", async () => {
    const session = await app.createSession()
    for (const text of [MARKED, "Are you there?"])
      assert.strictEqual((await app.converse(session, text)).type, "message.failed")
    await until("the log to say so", () => lines("dependency_failing").length > 0)
    assert.lengthOf(lines("dependency_failing"), 1, server.stderr())
    const [failing] = lines("dependency_failing")
    assert.deepInclude(failing, { level: "warn", dependency: "model", model: "broken", code: "http_500" })
    assert.isString(failing?.["fix"])
    assert.match(String(failing?.["run_ref"]), /^run_/)

    works = true
    const recovered = await until("the log to say that it works again", async () => {
      await app.converse(session, "And now?")
      return lines("dependency_recovered")[0]
    })
    assert.deepInclude(recovered, { level: "info", dependency: "model", model: "broken" })
    assert.isAtLeast(Number(recovered["failures"]), 2)
    assert.lengthOf(lines("dependency_failing"), 1)
    assert.notInclude(server.stderr(), "Zanzibar")
  })

  it("does not hide requests from the access log, which names routes and no persons", async () => {
    const answer = await app.get("/v1/me")
    const line = await until("the line of the request", async () =>
      lines("request_answered").find(({ request_id }) => request_id === answer.headers.get("x-request-id"))
    )
    assert.deepInclude(line, { level: "debug", method: "GET", route: "/v1/me", status: 200, caller: app.appId })
  })
})
