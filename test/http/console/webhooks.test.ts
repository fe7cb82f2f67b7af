import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-whose-webhooks-wait"
const HOUR_MS = 3_600_000

let server: TestServer
let operator: TestApp
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver((response, request) => {
    const answer = { "/down": status(500), "/busy": status(429, { "retry-after": "7200" }) }[request.path]
    ;(answer ?? status(204))(response, request)
  })
  server = await startTestServer({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

/** What the screen of a webhook says, without its markup. */
const read = async (id: string): Promise<string> => {
  const { status: code, body } = await operator.get(`/console/webhooks/${id}`)
  assert.strictEqual(code, 200)
  return String(body)
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
}
const addWebhook = async (app: TestApp, path: string): Promise<string> => {
  const url = new URL(path, receiver.url).href
  const { body } = await app.post(`/v1/apps/${app.appId}/channels`, {
    kind: "webhook",
    url,
    retry_schedule: [1, 1, 86_400]
  })
  return body.data.id
}
const requests = (path: string) => receiver.requests.filter((request) => request.path === path).length
/** Resolves when the next event of a webhook waits for more than an hour. */
const waits = (app: TestApp, session: string, webhook: string) =>
  until("the event to wait for long", async () => {
    const { body } = await app.get(`/v1/sessions/${session}/delivery`)
    return body.data.deliveries.some(
      ({ channel_id, next_attempt_at }: any) =>
        channel_id === webhook && next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now() + HOUR_MS
    )
  })

describe("the screen of a webhook", () => {
  it("counts an event that was retried early and failed again, as health does", async () => {
    const app = await server.createApp()
    const down = await addWebhook(app, "/down")
    const up = await addWebhook(app, "/up")
    const session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Come in." }) })
    await waits(app, session, down)
    const before = requests("/down")
    // A success within ten seconds of another one hurries nothing.
    await server.database.sql`update channels set last_success_at = null where channel_id = ${up}`
    await app.converse(session, "What is for dinner?")
    await until("the early retry", async () => requests("/down") > before)
    await waits(app, session, down)
    const text = await read(down)
    assert.match(text, /Wait for a retry 1 conversation Next attempt in \d+ h/)
    assert.include(text, "Send what waits now")
    const { problems } = (await operator.get("/admin/health")).body.data
    const problem = problems.find(({ subject }: any) => subject.channel_id === down)
    assert.deepInclude(problem, { kind: "webhook_failing", reach: 1 })
    await until("what is in order to arrive", async () => (await read(up)).includes("Ready to be sent nothing"))
    assert.include(await read(up), "Wait for a retry nothing Next attempt as events come")
  })

  it("counts an event that waits because the receiver asked for a pause", async () => {
    const app = await server.createApp()
    const busy = await addWebhook(app, "/busy")
    const session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Come in." }) })
    await waits(app, session, busy)
    assert.match(await read(busy), /Wait for a retry 1 conversation Next attempt in \d+ h/)
  })

  it("does not say that events go out as they come while it is paused", async () => {
    const app = await server.createApp()
    const webhook = await addWebhook(app, "/up")
    assert.include(await read(webhook), "Next attempt as events come")
    await app.post(`/v1/apps/${app.appId}/channels/${webhook}/pause`, {})
    assert.include(await read(webhook), "Next attempt when it is resumed")
  })
})
