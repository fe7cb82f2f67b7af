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
beforeAll(async () => {
  receiver = await startReceiver(status(500, {}, "not today"))
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  waitsOf = await recordWaits(server)
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const channelOf = async (session: string, fields: object) => {
  const { status: created, body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: receiver.url,
    events: ["message.created"],
    ...fields
  })
  assert.strictEqual(created, 200, JSON.stringify(body))
  return body.data
}
/** The wait of the lane after this many failed attempts, in seconds. */
const waitAfter = (channel: string, failures: number): Promise<number> =>
  until(
    `${failures} failed attempts`,
    async () => (await waitsOf(channel)).find((wait) => wait.failures === failures)?.seconds
  )
const endWait = (channel: string) => server.database.sql`update lanes set due_at = now() where channel_id = ${channel}`
const deliveriesOf = async (session: string, channel: string) =>
  (await app.get(`/v1/sessions/${session}/delivery?channel_id=${channel}`)).body.data.deliveries
const isAFifthAround = (wait: number, step: number) => {
  assert.isAtLeast(wait, step * 0.8)
  assert.isAtMost(wait, step * 1.2)
}

describe("a webhook with its own retry schedule", () => {
  it("is retried by it, and an event that still fails after the last wait expires", async () => {
    const session = await app.createSession()
    const { id, retry_schedule } = await channelOf(session, { retry_schedule: [1, 1] })
    assert.deepStrictEqual(retry_schedule, [1, 1])
    const { cursor } = (await app.send(session, "What is for dinner?")).body.data
    const delivery = await until("the event to expire", async () =>
      (await deliveriesOf(session, id)).find(
        (each: { event_cursor: number; outcome: string }) => each.event_cursor === cursor && each.outcome === "expired"
      )
    )
    assert.deepInclude(delivery, { attempts: 3, last_status_code: 500 })
  })

  it("uses its own waits, up to a fifth shorter or longer, beside another with the default", async () => {
    const session = await app.createSession()
    const { id } = await channelOf(session, { retry_schedule: [600, 7200] })
    const other = await channelOf(session, {})
    assert.isNull(other.retry_schedule)
    await app.send(session, "What is for dinner?")
    isAFifthAround(await waitAfter(id, 1), 600)
    await endWait(id)
    isAFifthAround(await waitAfter(id, 2), 7200)
    isAFifthAround(await waitAfter(other.id, 1), 1)
  })

  it("can get another schedule, which applies from the next failed attempt, and the default again", async () => {
    const session = await app.createSession()
    const { id } = await channelOf(session, { retry_schedule: [600, 600, 600] })
    const path = `/v1/sessions/${session}/channels/${id}`
    await app.send(session, "What is for dinner?")
    isAFifthAround(await waitAfter(id, 1), 600)
    const changed = await app.patch(path, { retry_schedule: [600, 3600, 86_400] })
    assert.deepStrictEqual(changed.body.data.retry_schedule, [600, 3600, 86_400])
    await app.patch(path, { events: null })
    assert.deepStrictEqual((await app.get(path)).body.data.retry_schedule, [600, 3600, 86_400])
    await endWait(id)
    isAFifthAround(await waitAfter(id, 2), 3600)
    assert.isNull((await app.patch(path, { retry_schedule: null })).body.data.retry_schedule)
    await endWait(id)
    isAFifthAround(await waitAfter(id, 3), 5)
  })

  it("is not used up by a receiver that is busy and says when to try again, for a day", async () => {
    const busy = await startReceiver((response, request) =>
      status(busy.requests.length < 5 ? 429 : 204, { "retry-after": "1" })(response, request)
    )
    const forever = await startReceiver(status(429, { "retry-after": "1" }))
    try {
      const session = await app.createSession()
      const { id } = await channelOf(session, { url: busy.url, retry_schedule: [1] })
      const other = await channelOf(session, { url: forever.url, retry_schedule: [1] })
      const { cursor } = (await app.send(session, "What is for dinner?")).body.data
      const outcome = (channel: string, wanted: string) =>
        until(`the event to be ${wanted}`, async () =>
          (await deliveriesOf(session, channel)).find(
            (each: { event_cursor: number; outcome: string }) => each.event_cursor === cursor && each.outcome === wanted
          )
        )
      assert.deepInclude(await outcome(id, "sent"), { attempts: 5 })
      await forever.received(3)
      await server.database.sql`
        update events set created_at = now() - interval '25 hours' where session_id = ${session} and cursor = ${cursor}`
      assert.deepInclude(await outcome(other.id, "expired"), { last_status_code: 429 })
    } finally {
      await busy.close()
      await forever.close()
    }
  })

  it("rejects a schedule that is empty, too long or out of range, and names the field", async () => {
    const session = await app.createSession()
    const { id } = await channelOf(session, { retry_schedule: [5] })
    for (const [schedule, message] of [
      [[], "body.retry_schedule: Too small: expected array to have >=1 items, received an array of 0"],
      [
        Array.from({ length: 21 }, () => 1),
        "body.retry_schedule: Too big: expected array to have <=20 items, received an array of 21"
      ],
      [[1, 0], "body.retry_schedule[1]: Too small: expected number to be >=1, received 0"],
      [[86_401], "body.retry_schedule[0]: Too big: expected number to be <=86400, received 86401"],
      [[1.5], "body.retry_schedule[0]: Invalid input: expected int, received number"],
      ["5", 'body.retry_schedule: Invalid input: expected array or null, received "5"']
    ] as const) {
      const body = { kind: "webhook", url: receiver.url, retry_schedule: schedule }
      for (const answer of [
        await app.post(`/v1/sessions/${session}/channels`, body),
        await app.patch(`/v1/sessions/${session}/channels/${id}`, { retry_schedule: schedule })
      ]) {
        assert.strictEqual(answer.status, 422)
        assert.deepInclude(answer.body.detail, { code: "validation_error", message })
        assert.isNotEmpty(answer.body.detail.fix)
      }
    }
    const path = `/v1/sessions/${session}/channels/${id}`
    assert.deepStrictEqual((await app.get(path)).body.data.retry_schedule, [5])
  })
})
