import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { recordWaits } from "#test/support/recordWaits.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let receiver: Receiver
let app: TestApp
let waitsOf: Awaited<ReturnType<typeof recordWaits>>
/** For how many seconds of its waits the pushes of a session are answered with 503. */
const away = new Map<string, number>()
beforeAll(async () => {
  receiver = await startReceiver(async (response, request) => {
    const session: string = JSON.parse(request.body.toString("utf8")).session_id
    const isAway = (await waited(session)) < (away.get(session) ?? 0)
    status(isAway ? 503 : 200)(response, request)
  })
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  waitsOf = await recordWaits(server)
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const openSession = async (fields: object = {}) => {
  const session = await app.createSession()
  const { status: created, body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: new URL("/hook", receiver.url).href,
    events: ["message.created"],
    ...fields
  })
  assert.strictEqual(created, 200, JSON.stringify(body))
  return session
}
/** How long its lane has waited so far, in seconds. */
const waited = async (session: string) => (await waitsOf(session)).reduce((sum, { seconds }) => sum + seconds, 0)
const isDelivered = async (session: string) =>
  (await server.database.sql`select 1 from lanes where session_id = ${session} and position = head`).length === 1

describe("a receiver that is offline for eight seconds", () => {
  it("gets its session's events within half a minute", async () => {
    const session = await openSession()
    away.set(session, 8)
    await app.send(session, "What is for dinner?")
    await until("the log to be pushed to its end", async () => {
      // Each wait ends at once, so that the test does not have to wait.
      await server.database.sql`update lanes set due_at = now() where session_id = ${session} and status = 'waiting'`
      return isDelivered(session)
    })
    assert.isAtLeast(await waited(session), 8)
    assert.isAtMost(await waited(session), 30)
  })

  it("gets the events of other sessions at once when it accepts the first, whatever their waits", async () => {
    const [first, second] = [await openSession(), await openSession({ retry_schedule: [7200] })]
    away.set(second, Infinity)
    await app.send(second, "What is for dinner?")
    const [wait] = await until("a failed try", async () => {
      const waits = await waitsOf(second)
      return waits.length > 0 && waits
    })
    assert.isAtLeast(wait?.seconds ?? 0, 3600)
    away.delete(second)
    await app.send(first, "And for breakfast?")
    assert.isTrue(await until("the log to be pushed to its end", () => isDelivered(second)))
  })
})
