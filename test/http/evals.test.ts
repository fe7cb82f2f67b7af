import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let slug: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  slug = await app.createCharacter()
})
afterAll(() => server.close())

const finished = (of: TestApp, id: string) => until("the run's end", async () => {
  const { body } = await of.get(`/v1/evals/runs/${id}`)
  return body.data.finished_at !== null && body.data
})
const dinner = { key: "dinner", turns: [{ user: "What is for dinner?", expect: [{ type: "contains", value: "leek SOUP" }] }] }

describe("evals", () => {
  it("plays a suite and says what became of it", async () => {
    const suite = await app.post("/v1/evals/suites", { name: "first", character_slug: slug, cases: [dinner], gates: [{ metric: "pass_rate", op: "gte", value: 1 }] })
    assert.strictEqual(suite.status, 200, JSON.stringify(suite.body))
    const run = await app.post(`/v1/evals/suites/${suite.body.data.id}/runs`, {})
    assert.strictEqual(run.status, 200, JSON.stringify(run.body))
    const done = await finished(app, run.body.data.id)
    assert.strictEqual(done.verdict, "pass")
  })
})
