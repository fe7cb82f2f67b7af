import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let receiver: Receiver
let app: TestApp
/** Sessions whose pushes are answered with 503. */
const away = new Set<string>()
beforeAll(async () => {
  receiver = await startReceiver((response, request) =>
    status(away.has(JSON.parse(request.body.toString("utf8")).session_id) ? 503 : 200)(response, request)
  )
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const openSession = async () => {
  const session = await app.createSession()
  const { status: created, body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: new URL("/hook", receiver.url).href,
    events: ["message.created"]
  })
  assert.strictEqual(created, 200, JSON.stringify(body))
  return session
}
const laneOf = async (session: string) =>
  (
    await server.database.sql`
  select status, failures, position = head as done, extract(epoch from due_at - sending_at)::float8 as wait from lanes
    where session_id = ${session}`
  )[0]!
const waiting = (session: string, failures: number) =>
  until(`${failures} failed tries`, async () => {
    const lane = await laneOf(session)
    return lane["status"] === "waiting" && lane["failures"] === failures && lane
  })
const delivered = (session: string) =>
  until("the log to be pushed to its end", async () => (await laneOf(session))["done"])

describe("a receiver that is offline for eight seconds", () => {
  it("gets its session's events within half a minute", async () => {
    const session = await openSession()
    away.add(session)
    await app.send(session, "What is for dinner?")
    let waited = 0
    for (let failures = 1; waited < 8; failures++) {
      const lane = await waiting(session, failures)
      waited += lane["wait"]
      // The wait ends at once, so that the test does not have to wait.
      if (waited >= 8) away.delete(session)
      await server.database.sql`update lanes set due_at = now() where session_id = ${session}`
    }
    await delivered(session)
    assert.isAtMost(waited, 30)
  })

  it("gets the events of other sessions at once when it accepts the first, whatever their waits", async () => {
    const [first, second] = [await openSession(), await openSession()]
    away.add(second)
    await app.send(second, "What is for dinner?")
    await waiting(second, 1)
    await server.database.sql`update lanes set due_at = now() + interval '1 hour' where session_id = ${second}`
    away.delete(second)
    await app.send(first, "And for breakfast?")
    assert.isTrue(await delivered(second))
  })
})
