import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Answering, drip, hang, raw, type Receiver, reset, startReceiver, status } from "#test/support/Receiver.ts"
import { recordWaits } from "#test/support/recordWaits.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const closeAfter200: Answering = (response) => {
  response.writeHead(200, { "content-length": "100" })
  response.write("thanks", () => response.socket?.resetAndDestroy())
}
const ANSWERINGS: Readonly<Record<string, Answering>> = {
  "/ok": status(200, {}, "thanks"),
  "/hangs": hang,
  "/drips-headers": drip("HTTP/1.1 200 OK\r\nx-slow: "),
  "/drips-body": drip("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"),
  "/500": status(500, {}, "oh no"),
  // Long, so that it is still waiting when the test looks.
  "/429": status(429, { "retry-after": "8000" }),
  "/410": status(410),
  "/301": status(301, { location: "http://169.254.169.254/latest/meta-data/" }),
  "/2mb": status(200, {}, Buffer.alloc(2_000_000, "a")),
  "/close-after-200": closeAfter200,
  "/resets": reset,
  "/no-http": raw("250 OK\r\n\r\n")
}

let server: TestServer
let receiver: Receiver
let app: TestApp
let waitsOf: Awaited<ReturnType<typeof recordWaits>>
const sessions = new Map<string, string>()
beforeAll(async () => {
  receiver = await startReceiver((response, request) => (ANSWERINGS[request.path] ?? hang)(response, request))
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  waitsOf = await recordWaits(server)
  app = await server.createApp()
  // The healthy one comes last: it waits for nobody.
  for (const path of Object.keys(ANSWERINGS).toReversed()) {
    const session = await app.createSession()
    sessions.set(path, session)
    const { status: created, body } = await app.post(`/v1/sessions/${session}/channels`, {
      kind: "webhook",
      url: new URL(path, receiver.url).href,
      events: ["message.created"]
    })
    assert.strictEqual(created, 200, JSON.stringify(body))
    await app.send(session, "What is for dinner?")
  }
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const deliveriesOf = async (path: string) =>
  (await app.get(`/v1/sessions/${sessions.get(path)}/delivery`)).body.data.deliveries
/** The first event for such a receiver, once there was an attempt. */
const firstOf = async (path: string) => {
  const { id } = await until(`an attempt at ${path}`, async () => {
    const first = (await deliveriesOf(path)).at(-1)
    return first.attempts > 0 && first
  })
  return (await app.get(`/v1/sessions/${sessions.get(path)}/delivery/${id}`)).body.data
}
/** Seconds from the end of the first attempt to the next. */
const waitOf = ({
  next_attempt_at,
  attempt_list: [first, second]
}: {
  next_attempt_at: string
  attempt_list: ReadonlyArray<{ at: string; latency_ms: number }>
}) => (Date.parse(second?.at ?? next_attempt_at) - Date.parse(first!.at) - first!.latency_ms) / 1000

describe.concurrent("a misbehaving receiver", () => {
  it("delays nobody else: another session's log is delivered completely while it hangs", async () => {
    const session = sessions.get("/ok") ?? assert.fail("no session")
    /** How many attempts at the hanging receiver have ended, while another one is in flight. */
    const duringAttempt = async (): Promise<number | undefined> => {
      const { attempts } = (await deliveriesOf("/hangs")).at(-1)
      return receiver.requests.filter(({ path }) => path === "/hangs").length > attempts ? attempts : undefined
    }
    // An attempt ends by itself after fifteen seconds. If it has ended meanwhile, this is tried during the next one.
    let day = 0
    await until("a log to be delivered completely during one attempt", async () => {
      const before = await until("an attempt to be in flight", duringAttempt)
      await app.converse(session, `What is for dinner on day ${++day}?`)
      const messages = (await app.events(session)).filter(({ type }) => type === "message.created").length
      await until("all messages at the healthy receiver", async () => {
        const deliveries = await deliveriesOf("/ok")
        const sent = deliveries.filter(({ outcome }: { outcome: string }) => outcome === "sent")
        return sent.length === messages && deliveries.length === messages
      })
      return (await duringAttempt()) === before
    })
  })

  it.each([
    ["/hangs", "unknown", null, "timeout"],
    ["/drips-headers", "unknown", null, "timeout"],
    ["/500", "not_sent", 500, "http_500"],
    ["/301", "not_sent", 301, "redirect"],
    ["/resets", "unknown", null, "reset"],
    ["/no-http", "unknown", null, "bad_response"]
  ])(
    "%s: the attempt is %s and retried after a second, or when the endpoint accepts something else",
    async (path, outcome, last_status_code, last_error_code) => {
      const delivery = await firstOf(path)
      assert.deepInclude(delivery, { outcome, last_status_code, last_error_code, delivered_at: null })
      const [wait] = await waitsOf(sessions.get(path) ?? "")
      assert.isAtMost(wait?.seconds ?? Infinity, 1.3)
    }
  )

  it.each([
    ["/drips-body", (answer: string) => assert.match(answer, /^a+$/)],
    ["/2mb", (answer: string) => assert.strictEqual(answer.length, 8192)],
    ["/close-after-200", (answer: string) => assert.strictEqual(answer, "thanks")]
  ])("%s: what follows the 200 does not change the result", async (path, check) => {
    const delivery = await firstOf(path)
    assert.deepInclude(delivery, { outcome: "sent", attempts: 1, last_status_code: 200, next_attempt_at: null })
    check(delivery.attempt_list[0].answer)
  })

  it("/429: its Retry-After is respected", async () => {
    const delivery = await firstOf("/429")
    assert.deepInclude(delivery.attempt_list[0], { outcome: "not_sent", status_code: 429 })
    assert.isAtLeast(waitOf(delivery), 7999.9)
    const { body } = await app.get(`/v1/sessions/${sessions.get("/429")}/channels`)
    assert.strictEqual(body.data.channels[0].position, 0)
  })

  it("/410: ends the channel, and the event is kept for when it is resumed", async () => {
    assert.deepInclude(await firstOf("/410"), {
      outcome: "gone",
      attempts: 1,
      last_status_code: 410,
      next_attempt_at: null
    })
    await until("the channel to be disabled and its lane to be released", async () => {
      const { body } = await app.get(`/v1/sessions/${sessions.get("/410")}/channels`)
      const [row] = await server.database.sql`select status from lanes where session_id = ${sessions.get("/410")!}`
      return (
        body.data.channels[0].status === "disabled" &&
        body.data.channels[0].position === 0 &&
        row!["status"] === "parked"
      )
    })
    assert.deepInclude(await firstOf("/410"), { outcome: "gone", attempts: 1 })
  })
})
