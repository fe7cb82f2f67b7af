import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ApiError, type Event, isApiError, Troupe } from "#client/index.ts"
import { inLanes } from "#test/support/inLanes.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { startFaults, type Faults } from "./startFaults.ts"
import { idle } from "#test/support/idle.ts"

let server: TestServer
let faults: Faults
let app: TestApp
let session: string

// Each request has a connection of its own, so that a fault meets one request.
const fetchOnce: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), connection: "close" } })
/** Retries are real, but their waits are not. */
const impatient = (ms: number) => Math.min(ms, 5)

const client = (of = app, url = faults.url) =>
  new Troupe({ apiKey: of.key, baseUrl: url, fetch: fetchOnce, maxRetries: 5, waitMs: impatient })

/** More sends than an app usually has in a minute. */
const UNLIMITED = { MESSAGES_PER_MINUTE: "100000", REQUESTS_PER_MINUTE: "1000000" }
/** How many clients try their bytes at once, each behind faults of its own. */
const CLIENTS = 8

beforeAll(async () => {
  server = await startTestServer({ env: UNLIMITED })
  app = await server.createApp()
  faults = await startFaults(server.baseUrl)
  session = await app.createSession()
  for (let turn = 0; turn < 6; turn++)
    await app.converse(session, `What is there for dinner on day ${turn}, and who comes?`)
})
afterAll(async () => {
  await faults.close()
  await server.close()
})

const sentTexts = async (to: string, of = app) =>
  (await of.events(to)).filter(({ type, role }) => type === "message.created" && role === "user").length

/** How long the answer to a send is. */
const lengthOf = async ({ baseUrl, key }: TestApp, to: string): Promise<number> => {
  const response = await fetch(`${baseUrl}/v1/sessions/${to}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ text: "How long is this?" })
  })
  const head = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 17)
  return head + (await response.text()).length
}

describe("a client whose connections break", () => {
  it("sends a message once, whatever byte of the answer the connection breaks at", async () => {
    // Nobody looks at the replies.
    const quiet = await startTestServer({ env: { ...UNLIMITED, ROLES: "api" } })
    const proxies = await Promise.all(Array.from({ length: CLIENTS }, () => startFaults(quiet.baseUrl)))
    try {
      const sender = await quiet.createApp()
      const first = await sender.createSession()
      const length = await lengthOf(sender, first)
      const runs = new Set<string>()
      // A session has room for so many messages without a reply.
      const sessions = [first]
      const sending = new Map<number, { readonly to: string; sent: number }>()
      await inLanes(CLIENTS, Array(length).keys(), async (at, lane) => {
        let place = sending.get(lane)
        if (place === undefined || place.sent === 19) {
          place = { to: await sender.createSession(), sent: 0 }
          sending.set(lane, place)
          sessions.push(place.to)
        }
        const proxy = proxies[lane] ?? assert.fail()
        proxy.next((connection) => (connection === 0 ? { cutAfter: at } : null))
        const troupe = client(sender, proxy.url)
        runs.add((await troupe.sessions.messages.send(place.to, { text: `Cut at byte ${at}` })).run_ref)
        place.sent++
      })
      const sent = (await Promise.all(sessions.map((to) => sentTexts(to, sender)))).reduce((sum, texts) => sum + texts)
      assert.strictEqual(sent, 1 + length)
      assert.strictEqual(runs.size, length)
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await quiet.close()
    }
  })

  it("misses no event and shows none twice, whatever byte its stream breaks at", async () => {
    const whole = await app.events(session)
    const shown = whole.slice(0, 12)
    const last = shown.at(-1)?.cursor ?? 0
    // The bytes of the first events, with the head of the answer.
    const bytes = 700 + JSON.stringify(shown).length
    assert.lengthOf(shown, 12)
    const proxies = await Promise.all(Array.from({ length: CLIENTS }, () => startFaults(server.baseUrl)))
    const places = Array.from({ length: Math.ceil(bytes / 7) }, (_, n) => n * 7)
    try {
      await inLanes(CLIENTS, places, async (at, lane) => {
        const proxy = proxies[lane] ?? assert.fail()
        proxy.next((connection) => (connection < 3 ? { cutAfter: at + connection } : null))
        const seen: Array<Event> = []
        for await (const event of client(app, proxy.url).sessions.follow(session)) {
          seen.push(event)
          if (event.cursor === last) break
        }
        assert.deepStrictEqual(
          seen.map(({ cursor }) => cursor),
          shown.map(({ cursor }) => cursor),
          `cut at byte ${at}`
        )
      })
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    }
  })

  it("waits as long as a 429 says, and sends once", async () => {
    const before = await sentTexts(session)
    const body = JSON.stringify({
      detail: { code: "rate_limited", message: "Too many requests.", fix: "Wait.", request_id: "req_1" }
    })
    const limited =
      `HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
    faults.next((connection) => (connection < 2 ? { answer: limited } : null))
    const waits: Array<number> = []
    const troupe = new Troupe({
      apiKey: app.key,
      baseUrl: faults.url,
      fetch: fetchOnce,
      waitMs: (ms) => {
        waits.push(ms)
        return 1
      }
    })
    await troupe.sessions.messages.send(session, { text: "Slowly" })
    assert.lengthOf(waits, 2)
    for (const ms of waits) assert.isAtLeast(ms, 1000)
    assert.strictEqual(faults.connections(), 3)
    assert.strictEqual(await sentTexts(session), before + 1)
  })

  it("gives up after its retries, with what went wrong", async () => {
    faults.next(() => ({ cutAfter: 0 }))
    const troupe = new Troupe({ apiKey: app.key, baseUrl: faults.url, maxRetries: 2, waitMs: impatient })
    const error: unknown = await troupe.service.me().catch((thrown: unknown) => thrown)
    assert.strictEqual((error as Error).name, "ConnectionError")
    assert.strictEqual(faults.connections(), 3)
  })

  it("does not try again what the server has refused, and says by code and request id why", async () => {
    faults.next(() => null)
    const error: unknown = await client()
      .sessions.get("ses_none")
      .catch((thrown: unknown) => thrown)
    assert.instanceOf(error, ApiError)
    assert.isTrue(isApiError(error, "session_not_found"))
    assert.isFalse(isApiError(error, "session_exited"))
    assert.match((error as ApiError).requestId ?? "", /^req_/)
    assert.strictEqual(faults.connections(), 1)
  })

  it("ends a request, a stream and a wait at once when it is aborted", async () => {
    faults.next(() => null)
    // Replies to what the other tests sent may still come in their session.
    const quiet = await app.createSession()
    await app.converse(quiet, "Good evening")
    const stop = new AbortController()
    const following = (async () => {
      const seen: Array<number> = []
      const last = (await app.events(quiet)).at(-1)?.cursor ?? 0
      for await (const { cursor } of client().sessions.follow(quiet, { signal: stop.signal })) {
        seen.push(cursor)
        if (cursor === last) void idle(20).then(() => stop.abort())
      }
      return seen
    })()
    assert.isNotEmpty(await following)
    const late = AbortSignal.timeout(50)
    const tail = (await app.events(quiet)).at(-1)?.cursor ?? 0
    const waiting = client().sessions.events.list(quiet, { since: tail, wait: 30 }, { signal: late })
    const error: unknown = await waiting.then(
      () => null,
      (thrown: unknown) => thrown
    )
    assert.strictEqual((error as Error).name, "TimeoutError")
  })
})
