import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { EventSource } from "eventsource"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { sinkOf } from "#src/http/conversation/sinkOf.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let character_slug: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  character_slug = await app.createCharacter()
})
afterAll(() => server.close())

const closers: Array<() => void> = []
afterEach(() => closers.splice(0).forEach((close) => close()))

interface Frame {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** The bytes of a stream as they arrive, split into frames manually. */
const openRaw = async (session: string, query = "", headers: Record<string, string> = {}) => {
  const request = get(`${server.baseUrl}/v1/sessions/${session}/events/stream${query}`, {
    headers: { authorization: `Bearer ${app.key}`, ...headers }
  })
  closers.push(() => request.destroy())
  const [response] = (await once(request, "response")) as [IncomingMessage]
  let text = ""
  response
    .setEncoding("utf8")
    .on("data", (part) => {
      text += part
    })
    .on("error", () => {})
  const blocks = () => text.split("\n\n").slice(0, -1)
  const frames = (): ReadonlyArray<Frame> =>
    blocks()
      .filter((block) => block.startsWith("id: "))
      .map((block) => {
        const [id = "", event = "", data = "", ...rest] = block.split("\n")
        assert.deepStrictEqual(rest, [])
        return { id: id.replace(/^id: /, ""), event: event.replace(/^event: /, ""), data: data.replace(/^data: /, "") }
      })
  const waitForCursor = (cursor: number) =>
    until(`cursor ${cursor}`, () => frames().some((frame) => Number(frame.id) >= cursor))
  return { response, blocks, frames, waitForCursor, text: () => text }
}

/** An independent reader: the browsers' own protocol, from the eventsource package. */
const openEventSource = (session: string, query = "") => {
  const seen: Array<LogEvent> = []
  const source = new EventSource(`${server.baseUrl}/v1/sessions/${session}/events/stream${query}`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${app.key}` } })
  })
  closers.push(() => source.close())
  for (const type of ["message.created", "run.status", "message.failed", "session.exited", "character.initiated"]) {
    source.addEventListener(type, (message) => {
      const event = JSON.parse(message.data)
      assert.strictEqual(message.lastEventId, String(event.cursor))
      assert.strictEqual(message.type, event.type)
      seen.push(event)
    })
  }
  return {
    source,
    seen,
    waitForCursor: (cursor: number) => until(`cursor ${cursor}`, () => seen.some((event) => event.cursor >= cursor))
  }
}

const openSession = () => app.createSession({ character_slug })
/** A session with answered turns. Returns its last cursor. */
const talk = async (session: string, turns: number) => {
  for (let n = 0; n < turns; n++) await app.converse(session, `Message ${n}`)
  return (await app.events(session)).length
}
const parsed = (frames: ReadonlyArray<Frame>) => frames.map((frame) => JSON.parse(frame.data))

describe("the stream", () => {
  it("is a text/event-stream that must not be cached or buffered, with the headers of every response", async () => {
    const { response } = await openRaw(await openSession(), "", { "x-request-id": "mine" })
    assert.strictEqual(response.statusCode, 200)
    assert.match(response.headers["content-type"] ?? "", /^text\/event-stream/)
    assert.include(response.headers["cache-control"], "no-store")
    assert.strictEqual(response.headers["x-accel-buffering"], "no")
    assert.strictEqual(response.headers["x-content-type-options"], "nosniff")
    assert.strictEqual(response.headers["x-request-id"], "mine")
  })

  it("starts with a retry line of one to three seconds, which varies", async () => {
    const session = await openSession()
    const retries = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { blocks } = await openRaw(session)
        await until("a first block", () => blocks().length > 0)
        assert.match(blocks()[0] ?? "", /^retry: \d+$/)
        return Number(blocks()[0]?.slice(7))
      })
    )
    for (const retry of retries) assert.isTrue(retry >= 1000 && retry <= 3000)
    assert.isAbove(new Set(retries).size, 1)
  })

  it("has a frame for each event: id is its cursor, event its type, data the event as in the poll", async () => {
    const session = await openSession()
    const last = await talk(session, 2)
    const { frames, waitForCursor } = await openRaw(session)
    await waitForCursor(last)
    assert.deepStrictEqual(parsed(frames()), (await app.events(session)) as Array<LogEvent>)
    for (const { id, event, data } of frames()) {
      assert.strictEqual(id, String(JSON.parse(data).cursor))
      assert.strictEqual(event, JSON.parse(data).type)
    }
  })

  it("keeps the line breaks of a text inside its data line", async () => {
    const session = await openSession()
    const text = "one\ntwo\r\nthree\rfour\u2028five\n\ndata: six"
    await app.send(session, text)
    const { seen, waitForCursor } = openEventSource(session)
    await waitForCursor(1)
    assert.strictEqual(seen[0]?.payload["text"], text)
  })

  it("starts after since", async () => {
    const session = await openSession()
    const last = await talk(session, 2)
    const { frames, waitForCursor } = await openRaw(session, `?since=${last - 2}`)
    await waitForCursor(last)
    assert.deepStrictEqual(
      frames().map((frame) => Number(frame.id)),
      [last - 1, last]
    )
  })

  it("starts after Last-Event-ID, which takes precedence over since", async () => {
    const session = await openSession()
    const last = await talk(session, 2)
    const { frames, waitForCursor } = await openRaw(session, "?since=0", { "last-event-id": String(last - 1) })
    await waitForCursor(last)
    assert.deepStrictEqual(
      frames().map((frame) => Number(frame.id)),
      [last]
    )
  })

  it("starts only after since if it is the tail, and gets 410 beyond it", async () => {
    const session = await openSession()
    const tail = await talk(session, 1)
    const { frames, waitForCursor } = await openRaw(session, `?since=${tail}`)
    const beyond = await app.get(`/v1/sessions/${session}/events/stream?since=${tail + 1}`)
    assert.deepStrictEqual([beyond.status, beyond.body.detail.code], [410, "cursor_expired"])
    const last = await talk(session, 1)
    await waitForCursor(last)
    assert.deepStrictEqual(
      frames().map((frame) => Number(frame.id)),
      Array.from({ length: last - tail }, (_, n) => n + tail + 1)
    )
  })

  it.each([
    ["?since=-1", {}],
    ["?since=x", {}],
    ["?since=1.5", {}],
    ["", { "last-event-id": "x" }],
    ["", { "last-event-id": "-1" }]
  ])("refuses %s %j with 422", async (query, headers) => {
    const { status, body } = await app.get(`/v1/sessions/${await openSession()}/events/stream${query}`, headers)
    assert.strictEqual(status, 422)
    assert.strictEqual(body.detail.code, "validation_error")
  })

  it("sends events as they are written, each reply complete", async () => {
    const session = await openSession()
    const { seen, waitForCursor } = openEventSource(session)
    await app.send(session, "What is for dinner?")
    await waitForCursor(3)
    assert.deepStrictEqual(
      seen.map((event) => event.type),
      ["message.created", "run.status", "message.created"]
    )
    assert.deepStrictEqual(seen[2]?.payload["bubbles"], ["Leek soup, and bread if you cut it."])
  })

  it("sends each event once and in order to every client, whenever and wherever it connects", async () => {
    const session = await openSession()
    await talk(session, 2)
    const followers = [openEventSource(session), openEventSource(session, "?since=3")]
    for (let n = 0; n < 20; n++) {
      void app.send(session, `Burst ${n}`)
      if (n % 5 === 0) followers.push(openEventSource(session, `?since=${n % 2 === 0 ? n / 2 : 0}`))
    }
    await until("the last reply", async () => (await app.get(`/v1/sessions/${session}`)).body.data.last_cursor === 66)
    const log = await app.events(session)
    for (const { source, seen, waitForCursor } of followers) {
      await waitForCursor(66)
      const since = Number(new URL(source.url).searchParams.get("since") ?? 0)
      assert.deepStrictEqual(seen, log.slice(since))
    }
  })

  it("resumes without gaps or repeats when a disconnected client reconnects", async () => {
    const session = await openSession()
    const connections: Array<AbortSignal> = []
    const seen: Array<number> = []
    const source = new EventSource(`${server.baseUrl}/v1/sessions/${session}/events/stream`, {
      fetch: async (url, init) => {
        // The first connection breaks after a while, as networks do.
        const signal =
          connections.length === 0
            ? AbortSignal.any([AbortSignal.timeout(300), init.signal as AbortSignal])
            : (init.signal as AbortSignal)
        connections.push(signal)
        return fetch(url, { ...init, signal, headers: { ...init.headers, authorization: `Bearer ${app.key}` } })
      }
    })
    closers.push(() => source.close())
    source.addEventListener("message.created", (event) => seen.push(Number(event.lastEventId)))
    source.addEventListener("run.status", (event) => seen.push(Number(event.lastEventId)))
    while (connections.length < 2) await app.converse(session, "Hello")
    const last = (await app.events(session)).length
    await until("the last event", () => seen.includes(last))
    assert.deepStrictEqual(
      seen,
      Array.from({ length: last }, (_, n) => n + 1)
    )
  })
})

const endOf = async (chunk: string) => {
  const answered = Promise.withResolvers<ServerResponse>()
  const plain = createServer((_, response) => answered.resolve(response)).listen(0, "127.0.0.1")
  await once(plain, "listening")
  const socket = connect((plain.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
  closers.push(
    () => socket.destroy(),
    () => plain.close()
  )
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
  const response = await answered.promise
  const sink = Effect.runSync(
    sinkOf(response, { appId: app.appId, kind: "runtime" }).pipe(Effect.provide(HeldBytes.layer))
  )
  const roomLeft = sink.write(chunk)
  sink.end()
  return { socket, response, roomLeft }
}

describe("the end of a connection", () => {
  it("follows everything that was written, for a client that reads", async () => {
    const { socket, roomLeft } = await endOf("data: last\n\n")
    assert.isTrue(roomLeft)
    let text = ""
    socket.on("data", (part) => {
      text += part
    })
    await until("the end of the body", () => text.endsWith("0\r\n\r\n"))
    assert.include(text, "data: last\n\n")
  })

  it("is immediate for a client that does not read", async () => {
    const { response, roomLeft } = await endOf("x".repeat(50_000_000))
    assert.isFalse(roomLeft)
    await until("the connection to close", () => response.closed)
  })
})
