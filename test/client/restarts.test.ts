import { assert, it } from "vitest"
import { type Event, Troupe } from "#client/index.ts"
import { freePort } from "#test/support/freePort.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { idle } from "#test/support/idle.ts"
import { until } from "#test/support/until.ts"

const MESSAGES = 30

it("sends every message once and misses no event while the server restarts", async () => {
  const database = await createTestDatabase()
  const options = { database, env: { PORT: String(await freePort()) } }
  let server = await startTestServer(options)
  const app = await server.createApp()
  const session = await app.createSession()
  // A restart takes longer than a few retries.
  const troupe = new Troupe({
    apiKey: app.key,
    baseUrl: server.baseUrl,
    maxRetries: 200,
    waitMs: (ms) => Math.min(ms, 100)
  })

  const stop = new AbortController()
  const seen: Array<Event> = []
  const following = (async () => {
    for await (const event of troupe.sessions.follow(session, { signal: stop.signal })) seen.push(event)
  })()
  const sending = (async () => {
    for (let at = 0; at < MESSAGES; at++) await troupe.sessions.messages.send(session, { text: `Message ${at}` })
  })()
  for (let restart = 0; restart < 2; restart++) {
    await idle(300)
    await server.close()
    server = await startTestServer(options)
  }
  await sending
  await troupe.sessions.say(session, "The last one")
  const whole = await app.events(session)
  const last = whole.at(-1)?.cursor ?? 0
  await until("the last event", () => (seen.at(-1)?.cursor ?? 0) >= last)
  stop.abort()
  await following
  const texts = whole.flatMap(({ type, role, payload }) =>
    type === "message.created" && role === "user" ? [payload["text"]] : []
  )
  assert.deepStrictEqual(texts, [...Array.from({ length: MESSAGES }, (_, at) => `Message ${at}`), "The last one"])
  assert.deepStrictEqual(
    seen.map(({ cursor }) => cursor),
    whole.map(({ cursor }) => cursor)
  )
  await server.close()
  await database.drop()
})
