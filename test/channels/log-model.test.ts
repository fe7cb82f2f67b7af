import * as fc from "fast-check"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let character: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  character = await app.createCharacter()
})
afterAll(() => server.close())

/** What one reader received for one request: everything after `since`, in order of arrival. */
interface Sighting {
  readonly by: string
  readonly sessionId: string
  readonly since: number
  readonly events: Array<LogEvent>
}

/** A cursor beyond the end of the log is refused with where it ends. */
const assertBeyond = ({ detail }: { readonly detail: { code: string; message: string } }, since: number) => {
  assert.strictEqual(detail.code, "cursor_expired")
  assert.isBelow(Number(/This log ends at cursor (\d+)\./.exec(detail.message)?.[1]), since)
}

/** A reader of server-sent events that can be disconnected at any moment, even in the middle of a frame. */
class StreamReader {
  readonly sighting: Sighting
  #request: ClientRequest
  #rest = ""
  #refused = false
  #heard: () => void = () => {}

  constructor(sessionId: string, since: number, lastEventId: number | null) {
    this.sighting = {
      by: lastEventId === null ? "stream" : "stream again",
      sessionId,
      since: lastEventId ?? since,
      events: []
    }
    const headers = {
      authorization: `Bearer ${app.key}`,
      ...(lastEventId === null ? {} : { "last-event-id": String(lastEventId) })
    }
    this.#request = request(
      `${server.baseUrl}/v1/sessions/${sessionId}/events/stream?since=${since}`,
      { headers, agent: false },
      (response) => {
        response.setEncoding("utf8")
        response.on("error", () => {})
        if (response.statusCode === 410) void this.#takeRefusal(response)
        else response.on("data", (text: string) => this.#take(text))
      }
    )
    this.#request.on("error", () => {})
    this.#request.end()
  }

  async #takeRefusal(response: IncomingMessage) {
    const body = await text(response).catch(() => null)
    if (body === null) return
    this.#refused = true
    this.#heard()
    assertBeyond(JSON.parse(body), this.sighting.since)
  }

  #take(text: string) {
    const frames = (this.#rest + text).split("\n\n")
    this.#rest = frames.pop() ?? ""
    for (const frame of frames) {
      const fields = new Map(
        frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const)
      )
      const data = fields.get("data")
      if (data === undefined) continue
      const event: LogEvent = JSON.parse(data)
      assert.deepStrictEqual([fields.get("id"), fields.get("event")], [String(event.cursor), event.type])
      this.sighting.events.push(event)
    }
    this.#heard()
  }

  /** The last cursor received: where a reader continues. */
  get cursor(): number {
    return this.sighting.events.at(-1)?.cursor ?? this.sighting.since
  }

  /** Whether the server said that the log ends before the cursor. Such a reader gets nothing. */
  get isRefused(): boolean {
    return this.#refused
  }

  async until(cursor: number): Promise<void> {
    while (!this.isRefused && this.cursor < cursor)
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
  }

  disconnect() {
    this.#request.destroy()
  }
}

interface Sent {
  readonly cursor: number
  readonly runRef: string
  readonly text: string
}

/** What must be on each session's log according to the acknowledgements. The replies are taken from the log itself. */
interface Model {
  readonly sent: Array<Array<Sent>>
  readonly keys: Array<Map<string, Sent>>
}

interface Real {
  readonly sessions: ReadonlyArray<string>
  readonly sightings: Array<Sighting>
  readonly open: Array<{ readonly at: number; readonly reader: StreamReader }>
  readonly closed: Array<{ readonly at: number; readonly since: number; readonly reader: StreamReader }>
}

type Command = fc.AsyncCommand<Model, Real>
const sessionAt = ({ sessions }: Real, at: number) => sessions[at % sessions.length] ?? ""

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name
})

const send = async (model: Model, real: Real, at: number, text: string, key: string | null) => {
  const { status, body } = await app.send(sessionAt(real, at), text, key === null ? {} : { "idempotency-key": key })
  assert.strictEqual(status, 200)
  const sent: Sent = { cursor: body.data.cursor, runRef: body.data.run_ref, text }
  const first = key === null ? undefined : model.keys[at]?.get(key)
  if (first !== undefined) {
    assert.deepStrictEqual({ cursor: sent.cursor, runRef: sent.runRef }, { cursor: first.cursor, runRef: first.runRef })
    assert.isTrue(body.data.idempotent_replay)
    return
  }
  if (key !== null) model.keys[at]?.set(key, sent)
  model.sent[at]?.push(sent)
}

const pollOnce = async (real: Real, at: number, since: number, limit: number, wait: number) => {
  const sessionId = sessionAt(real, at)
  const { status, body } = await app.get(`/v1/sessions/${sessionId}/events?since=${since}&limit=${limit}&wait=${wait}`)
  if (status === 410) return assertBeyond(body, since)
  assert.strictEqual(status, 200)
  const { events, next_cursor } = body.data
  assert.isAtMost(events.length, limit)
  assert.strictEqual(next_cursor, events.at(-1)?.cursor ?? since)
  real.sightings.push({ by: wait === 0 ? "poll" : "long poll", sessionId, since, events })
}

const at = fc.nat({ max: 1 })
const since = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 12 }) }, fc.constantFrom(0, 500))
const commands = [
  fc.tuple(at, fc.integer({ min: 1, max: 5 })).map(([at, count]) =>
    command(`send ${count} to ${at}`, async (model, real) => {
      await Promise.all(Array.from({ length: count }, (_, i) => send(model, real, at, `Message ${i}?`, null)))
    })
  ),
  fc
    .tuple(at, fc.constantFrom("a", "b", "c"))
    .map(([at, key]) => command(`send ${key} to ${at}`, (model, real) => send(model, real, at, `Under ${key}.`, key))),
  fc
    .tuple(at, since, fc.integer({ min: 1, max: 20 }))
    .map(([at, since, limit]) =>
      command(`poll ${at} since ${since} limit ${limit}`, (_, real) => pollOnce(real, at, since, limit, 0))
    ),
  fc
    .tuple(at, since)
    .map(([at, since]) => command(`long-poll ${at} since ${since}`, (_, real) => pollOnce(real, at, since, 200, 0.2))),
  fc.tuple(at, fc.nat({ max: 12 })).map(([at, since]) =>
    command(`stream ${at} since ${since}`, async (_, real) => {
      real.open.push({ at, reader: new StreamReader(sessionAt(real, at), since, null) })
    })
  ),
  fc.nat().map((which) =>
    command("disconnect", async (_, { open, closed }) => {
      const [stream] = open.splice(which % Math.max(open.length, 1), 1)
      if (stream === undefined) return
      stream.reader.disconnect()
      closed.push({ ...stream, since: stream.reader.sighting.since })
    })
  ),
  fc.nat().map((which) =>
    command("reconnect", async (_, real) => {
      const stream = real.closed[which % Math.max(real.closed.length, 1)]
      if (stream === undefined) return
      // Like a browser: the first address again, and the last cursor in a header.
      real.open.push({
        at: stream.at,
        reader: new StreamReader(sessionAt(real, stream.at), stream.since, stream.reader.cursor)
      })
    })
  )
]

/** The whole log of a session, once every message on it has an outcome. */
const settledLog = async (sessionId: string, sent: ReadonlyArray<Sent>) => {
  for (const { runRef, cursor } of sent)
    await app.waitFor(
      sessionId,
      (event) => event.trace_id === runRef && event.role !== "user" && event.type !== "run.status",
      cursor
    )
  return app.events(sessionId)
}

describe("the log, compared with an array", () => {
  it("shows every reader the same slice of the same sequence, whatever the operations", () =>
    fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async (commands) => {
        const sessions = await Promise.all([0, 1].map(() => app.createSession({ character_slug: character })))
        const real: Real = { sessions, sightings: [], open: [], closed: [] }
        const model: Model = { sent: [[], []], keys: [new Map(), new Map()] }
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands)
          const logs = await Promise.all(sessions.map((sessionId, i) => settledLog(sessionId, model.sent[i] ?? [])))

          for (const [i, log] of logs.entries()) {
            const sent = (model.sent[i] ?? []).toSorted((a, b) => a.cursor - b.cursor)
            assert.deepStrictEqual(
              log.map(({ cursor }) => cursor),
              log.map((_, place) => place + 1),
              "gap-free from 1"
            )
            assert.lengthOf(new Set(log.map(({ id }) => id)), log.length)
            assert.deepStrictEqual(
              log
                .filter(({ role }) => role === "user")
                .map(({ cursor, trace_id, payload }) => ({ cursor, runRef: trace_id, text: payload["text"] })),
              sent,
              "what was acknowledged, where it was acknowledged"
            )
            assert.deepStrictEqual(
              log
                .filter(({ role, type }) => role === "character" && type === "message.created")
                .map(({ trace_id }) => trace_id),
              sent.map(({ runRef }) => runRef),
              "one reply each, in order"
            )
          }

          // A stream that is still open reaches the end of the log by itself.
          await Promise.all(real.open.map(({ at, reader }) => reader.until(logs[at]?.length ?? 0)))
          for (const { by, sessionId, since, events } of [
            ...real.sightings,
            ...[...real.open, ...real.closed].map(({ reader }) => reader.sighting)
          ]) {
            const log = logs[sessions.indexOf(sessionId)] ?? []
            assert.deepStrictEqual(events, log.slice(since, since + events.length), `${by} since ${since}`)
          }
          for (const {
            reader: { sighting },
            at
          } of real.open.filter(({ reader }) => !reader.isRefused)) {
            assert.deepStrictEqual(sighting.events, logs[at]?.slice(sighting.since), "an open stream has it all")
          }
        } finally {
          for (const { reader } of real.open) reader.disconnect()
        }
      }),
      { numRuns: 40, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false }
    ))

  it("wakes a long poll when a message is written", async () => {
    const session = await app.createSession({ character_slug: character })
    const poll = app.get(`/v1/sessions/${session}/events?since=0&wait=20`)
    const { body } = await app.send(session, "Hello?")
    const page = (await poll).body.data
    assert.strictEqual(page.events[0].cursor, body.data.cursor)
  })
})
