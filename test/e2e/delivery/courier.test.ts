import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { SCHEDULE } from "#channels/webhook/schedule.ts"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { type Answering, hang, type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TroupeProcess } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const ALLOWED = { OUTBOUND_ALLOW: "127.0.0.1" }

let fleet: Fleet
let receiver: Receiver
let answering: Answering
beforeEach(async () => {
  answering = status(200)
  receiver = await startReceiver((response, request) => answering(response, request))
  fleet = await createFleet()
  fleet.model.answerAfter(0)
})
afterEach(async () => {
  await fleet.close()
  await receiver.close()
})

const pushed = async (app: TestApp, fields: object = {}): Promise<string> => {
  const session = await app.createSession()
  const { status, body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: receiver.url,
    ...fields
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return session
}
const attempts = (session: string) =>
  fleet.database.sql`
      select cursor::int, outcome, error_code from delivery_attempts where session_id = ${session}
      order by started_at, fence`
const cursors = () => receiver.requests.map((request) => Number(request.headers["x-service-cursor"]))

describe("a lane whose courier dies", () => {
  it("continues after a SIGKILL, as its lock is free, and the view shows the attempt in flight as unknown", async ({
    annotate
  }) => {
    const { sql } = fleet.database
    const app = fleet.clientOf(await fleet.start("api", ALLOWED))
    // Both before the attempt, which ends by itself after fifteen seconds.
    const workers = new Map<string, TroupeProcess>()
    for (let n = 0; n < 2; n++) {
      const process = await fleet.start("worker", ALLOWED)
      const ids = await sql<Array<{ worker_id: string }>>`select worker_id from workers`
      for (const { worker_id: id } of ids) if (!workers.has(id)) workers.set(id, process)
    }
    const session = await pushed(app)
    answering = hang
    await app.converse(session, "What is for dinner?")
    await receiver.received(0)
    const [lane] = await sql<Array<{ owner: string | null }>>`select owner from lanes where session_id = ${session}`
    const victimId = lane?.owner ?? assert.fail("nobody has the lane")
    const victim = workers.get(victimId) ?? assert.fail(`${victimId} is none of the workers`)
    answering = status(200)

    const killedAt = performance.now()
    await victim.stop("SIGKILL")
    // Its silence is never noticed.
    await sql`update workers set heartbeat_at = now() + interval '1 day' where worker_id = ${victimId}`
    await receiver.received(1)
    const delay = performance.now() - killedAt
    await annotate(`walked again ${Math.round(delay)} ms after the kill`)

    await until("the reply to be pushed", () => cursors().includes(3))
    assert.deepStrictEqual(cursors(), [1, 1, 2, 3])
    await until("the last outcome", async () => (await attempts(session)).length === 4)
    assert.deepStrictEqual((await attempts(session))[0], { cursor: 1, outcome: "unknown", error_code: "interrupted" })
  })

  it("continues without the zombie: a courier stopped mid-attempt writes nothing when it wakes up", async () => {
    const app = fleet.clientOf(await fleet.start("api", ALLOWED))
    const zombie = await fleet.start("worker", ALLOWED)
    const session = await pushed(app)
    answering = hang
    await app.send(session, "What is for dinner?")
    const first = await receiver.received(0)
    zombie.child.kill("SIGSTOP")
    answering = status(200)
    await fleet.start("worker", ALLOWED)
    await until("the log to be pushed by the other", () => cursors().includes(3))
    await until("the last outcome", async () => (await attempts(session)).length === 4)
    const before = await attempts(session)

    zombie.child.kill("SIGCONT")
    // Its attempt ends now, in either way, and it registers again: by then it has tried to write the result.
    await first.closed
    await until(
      "the zombie to register again",
      async () => (await fleet.database.sql`select 1 from workers`).length >= 2
    )
    assert.deepStrictEqual(await attempts(session), before)
    assert.deepStrictEqual(cursors(), [1, 1, 2, 3])
  })

  it("has its deliveries finished by a worker that is asked to stop, and is passed to the next worker", async () => {
    const app = fleet.clientOf(await fleet.start("api", ALLOWED))
    const leaving = await fleet.start("worker", ALLOWED)
    const session = await pushed(app)
    let answer = () => {}
    answering = (response, request) => {
      answer = () => status(200)(response, request)
    }
    await app.send(session, "What is for dinner?")
    await receiver.received(0)
    const stopped = leaving.stop("SIGTERM")
    answering = status(200)
    answer()
    assert.strictEqual(await stopped, 0)
    await fleet.start("worker", ALLOWED)
    await until("the reply to be pushed", () => cursors().includes(3))
    assert.deepStrictEqual(cursors(), [1, 2, 3])
  })
})

describe("an event", () => {
  it("expires when its retries are used up, and the lane continues", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker", ALLOWED))
    const session = await pushed(app, { retry_schedule: [86_400] })
    answering = (response, request) =>
      status(request.headers["x-service-cursor"] === "1" ? 500 : 200)(response, request)
    await app.send(session, "What is for dinner?")
    await until("the first attempt to fail", async () => (await attempts(session)).length === 1)
    const { body } = await app.get(`/v1/sessions/${session}/delivery`)
    assert.deepInclude(body.data.deliveries.at(-1), {
      event_cursor: 1,
      outcome: "not_sent",
      attempts: 1,
      last_status_code: 500,
      last_error_code: "http_500"
    })

    // The state after a failure following each wait of the default schedule.
    const [channel] = (await app.get(`/v1/sessions/${session}/channels`)).body.data.channels
    const patched = await app.patch(`/v1/sessions/${session}/channels/${channel.id}`, { retry_schedule: null })
    assert.isNull(patched.body.data.retry_schedule)
    await fleet.database
      .sql`update lanes set failures = ${SCHEDULE.length}, due_at = now() where session_id = ${session}`
    await until("the reply to be pushed", () => cursors().includes(3))
    assert.deepStrictEqual(cursors(), [1, 1, 2, 3])
    const after = await until("the last outcome", async () => {
      const { data } = (await app.get(`/v1/sessions/${session}/delivery`)).body
      return data.deliveries[0].outcome === "sent" && data.deliveries
    })
    assert.deepInclude(after.at(-1), {
      event_cursor: 1,
      outcome: "expired",
      attempts: 2,
      last_status_code: 500,
      next_attempt_at: null
    })
  })

  it("that is no longer useful is skipped without an attempt", async () => {
    const app = fleet.clientOf(await fleet.start("api", ALLOWED))
    const session = await pushed(app)
    await app.send(session, "What is for dinner?")
    await fleet.database
      .sql`update events set expires_at = now() - interval '1 second' where session_id = ${session} and cursor = 1`
    await fleet.start("worker", ALLOWED)
    await until("the reply to be pushed", () => cursors().includes(3))
    assert.deepStrictEqual(cursors(), [2, 3])
    assert.deepInclude((await app.get(`/v1/sessions/${session}/delivery`)).body.data.deliveries.at(-1), {
      event_cursor: 1,
      outcome: "expired",
      attempts: 0
    })
  })
})

describe("a receiver that is gone", () => {
  it("disables its channel, and a resume continues with the refused event", async () => {
    const app = fleet.clientOf(await fleet.start("api,worker", ALLOWED))
    const session = await pushed(app)
    answering = status(410)
    await app.send(session, "What is for dinner?")
    const [channel] = await until("the channel to be disabled", async () => {
      const { channels } = (await app.get(`/v1/sessions/${session}/channels`)).body.data
      return channels[0].status === "disabled" && channels
    })
    assert.deepStrictEqual(cursors(), [1])
    answering = status(200)
    await app.post(`/v1/sessions/${session}/channels/${channel.id}/resume`, {})
    await until("the reply to be pushed", () => cursors().includes(3))
    assert.deepStrictEqual(cursors(), [1, 1, 2, 3])
  })
})
