import { assert, it } from "vitest"
import { openGate } from "#test/support/gate.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

it("a database that stops answering is 503 for everyone while it is silent, and only until it is back", async () => {
  const database = await createTestDatabase()
  const gate = await openGate(database.url)
  const server = await startTestServer({ database: { ...database, url: gate.url }, env: { ROLES: "api" } })
  const app = await server.createApp()
  const session = await app.createSession()
  gate.fallSilent()
  const answers = await Promise.all([
    ...Array.from({ length: 100 }, (_, n) => app.send(session, `Message ${n}`)),
    app.get(`/v1/sessions/${session}/events`),
    app.get("/v1/me"),
    app.post("/v1/sessions", { character_slug: "x", external_user_ref: "u" })
  ])
  gate.speak()
  for (const { status, body } of answers) {
    assert.strictEqual(status, 503)
    assert.isString(body.detail)
  }
  await until("an answer", async () => (await app.send(session, "Hello")).status === 200)
  await server.close()
  gate.close()
  await database.drop()
})
