import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let session: string
/** A greeting, two turns that are answered, and the exit. */
let events: ReadonlyArray<LogEvent>
let sent: ReadonlyArray<{ readonly cursor: number; readonly sent_turn_index: number; readonly run_ref: string }>

const read = (query: string) => app.get(`/v1/sessions/${session}/events${query}`)
const find = (type: string, role: string) => events.filter((event) => event.type === type && event.role === role)

beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  const slug = await app.createCharacter({ greeting: "Door's open.\n\nMind the step." })
  session = await app.createSession({ character_slug: slug })
  const answers: Array<(typeof sent)[number]> = []
  for (const text of ["What is for dinner?", 'Line one\nline two "quoted" \\ 😀 \u2028 <b>&amp;</b>']) {
    const { body } = await app.send(session, text)
    await app.waitFor(
      session,
      (event) => event.role === "character" && event.payload["turn_index"] === body.data.sent_turn_index
    )
    answers.push(body.data)
  }
  await app.delete(`/v1/characters/${slug}?end_sessions=true`)
  events = await app.events(session)
  sent = answers
})
afterAll(() => server.close())

describe("every event", () => {
  it("has the fields of contract 2.3 and no others", () => {
    assert.isAbove(events.length, 6)
    for (const event of events) {
      assert.hasAllKeys(event, [
        "id",
        "schema_version",
        "cursor",
        "session_id",
        "type",
        "event_type",
        "role",
        "trace_id",
        "created_at",
        "payload",
        "source_ref"
      ])
      assert.match(event.id, /^evt_/)
      assert.isString(event["schema_version"])
      assert.strictEqual(event["session_id"], session)
      assert.include(["user", "character", "system"], event.role)
      assert.isObject(event.payload)
      assert.isObject(event["source_ref"])
    }
  })

  it("names the end-user and the character of its session in source_ref", async () => {
    const { external_user_ref, character_slug } = (await app.get(`/v1/sessions/${session}`)).body.data
    for (const event of events) assert.deepInclude(event["source_ref"], { external_user_ref, character_slug })
    const odd = await app.createSession({ external_user_ref: 'it\'s "Ann" \\ \u2028' })
    await app.send(odd, "Hello")
    const [first] = await app.events(odd)
    assert.deepInclude(first?.["source_ref"], { external_user_ref: 'it\'s "Ann" \\ \u2028' })
  })

  it("has an event_type that equals its type", () => {
    for (const event of events) assert.strictEqual(event["event_type"], event.type)
  })

  it("has a unique id", () => {
    assert.strictEqual(new Set(events.map((event) => event.id)).size, events.length)
  })

  it("has the next cursor: 1, 2, 3 and so on, without a gap", () => {
    assert.deepStrictEqual(
      events.map((event) => event.cursor),
      events.map((_, index) => index + 1)
    )
  })

  it("has an ISO 8601 time in UTC, not before that of the previous event", () => {
    const times = events.map((event) => String(event["created_at"]))
    for (const time of times) assert.strictEqual(new Date(time).toISOString(), time)
    assert.deepStrictEqual(times, [...times].sort())
  })

  it("is the same whenever it is read", async () => {
    assert.deepStrictEqual(await app.events(session), events)
  })
})

describe("the events of a turn", () => {
  it("are the user's message.created at the returned cursor, then run.status, then the reply", () => {
    for (const { cursor, run_ref } of sent) {
      const ofTurn = events.filter((event) => event.trace_id === run_ref)
      assert.deepStrictEqual(
        ofTurn.map(({ type, role }) => [type, role]),
        [
          ["message.created", "user"],
          ["run.status", "character"],
          ["message.created", "character"]
        ]
      )
      assert.strictEqual(ofTurn[0]?.cursor, cursor)
    }
  })

  it("have the run_ref as trace_id", () => {
    assert.deepStrictEqual(
      find("message.created", "user").map((event) => event.trace_id),
      sent.map((turn) => turn.run_ref)
    )
    assert.deepStrictEqual(
      find("message.created", "character").map((event) => event.trace_id),
      sent.map((turn) => turn.run_ref)
    )
  })

  it("have the source api", () => {
    for (const event of events.filter(({ trace_id }) => sent.some((turn) => turn.run_ref === trace_id)))
      assert.deepInclude(event["source_ref"], { kind: "api" })
  })
})

describe("message.created of the user", () => {
  it("carries the text as it was sent, and bubbles with that text", () => {
    const texts = ["What is for dinner?", 'Line one\nline two "quoted" \\ 😀 \u2028 <b>&amp;</b>']
    assert.deepStrictEqual(
      find("message.created", "user").map((event) => event.payload),
      texts.map((text) => ({ text, bubbles: [text] }))
    )
  })
})

describe("run.status", () => {
  it("is generating, with the run_ref", () => {
    assert.deepStrictEqual(
      find("run.status", "character").map((event) => event.payload),
      sent.map(({ run_ref }) => ({ status: "generating", run_ref }))
    )
  })
})

describe("message.created of the character", () => {
  it("carries ordered bubbles and the joined text", () => {
    for (const { payload } of find("message.created", "character")) {
      assert.hasAllKeys(payload, ["text", "bubbles", "turn_index"])
      assert.isNotEmpty(payload["bubbles"])
      for (const bubble of payload["bubbles"]) assert.isNotEmpty(bubble)
      assert.strictEqual(payload["text"], payload["bubbles"].join("\n"))
    }
  })

  it("has the sent_turn_index of the turn that it answers as turn_index", () => {
    assert.deepStrictEqual(
      find("message.created", "character").map((event) => event.payload["turn_index"]),
      sent.map((turn) => turn.sent_turn_index)
    )
  })
})

describe("character.initiated", () => {
  it("is the greeting, its own run before any turn", () => {
    const [greeting] = find("character.initiated", "character")
    assert.strictEqual(greeting?.cursor, 1)
    assert.deepStrictEqual(greeting?.payload, {
      text: "Door's open.\nMind the step.",
      bubbles: ["Door's open.", "Mind the step."],
      kind: "greeting"
    })
    assert.deepInclude(greeting?.["source_ref"], { kind: "greeting" })
    assert.notInclude(
      sent.map((turn) => turn.run_ref),
      greeting?.trace_id
    )
  })
})

describe("session.exited", () => {
  it("is from the system, with a reason_code, and the last event of the log", () => {
    const [exited] = find("session.exited", "system")
    assert.deepStrictEqual(exited?.payload, { reason_code: "character_archived" })
    assert.strictEqual(exited?.cursor, events.length)
  })
})

describe("GET /v1/sessions/{id}/events", () => {
  it("returns the events after since", async () => {
    for (let since = 0; since <= events.length; since++) {
      const { data } = (await read(`?since=${since}`)).body
      assert.deepStrictEqual(data.events, events.slice(since))
    }
  })

  it("starts at the beginning without since", async () => {
    assert.deepStrictEqual((await read("")).body.data.events, events)
  })

  it("returns the events after the user's message for the cursor of a send", async () => {
    const [first] = (await read(`?since=${sent[0]?.cursor}`)).body.data.events
    assert.strictEqual(first.type, "run.status")
    assert.strictEqual(first.trace_id, sent[0]?.run_ref)
  })

  it("returns the last event's cursor as next_cursor, and has_more while there are more", async () => {
    const { data } = (await read("?since=1&limit=3")).body
    assert.deepStrictEqual(data, { events: events.slice(1, 4), next_cursor: 4, has_more: true })
    const whole = (await read("")).body.data
    assert.strictEqual(whole.next_cursor, events.length)
    assert.isFalse(whole.has_more)
    assert.isFalse((await read(`?since=${events.length - 1}&limit=1`)).body.data.has_more)
  })

  it("returns since as next_cursor on an empty page", async () => {
    assert.deepStrictEqual((await read(`?since=${events.length}`)).body.data, {
      events: [],
      next_cursor: events.length,
      has_more: false
    })
  })

  it.each(["", "0x10", "1e2", "%205", "1.0", "+1"])("refuses a since that is not a number: %j", async (since) => {
    const session = await app.createSession()
    assert.strictEqual((await app.get(`/v1/sessions/${session}/events?since=${since}`)).status, 422)
  })

  it("returns an empty page with since as next_cursor at the tail, and 410 beyond it", async () => {
    const tail = events.length
    const atTail = (await read(`?since=${tail}`)).body.data
    assert.deepStrictEqual(atTail, { events: [], next_cursor: tail, has_more: false })
    for (const since of [tail + 1, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await read(`?since=${since}`)
      assert.deepStrictEqual([status, body.detail.code], [410, "cursor_expired"])
      assert.include(body.detail.message, `This log ends at cursor ${tail}.`)
    }
  })

  it("returns every event once, in order, in small pages", async () => {
    const seen: Array<LogEvent> = []
    for (let since = 0, more = true; more;) {
      const { data } = (await read(`?since=${since}&limit=2`)).body
      seen.push(...data.events)
      since = data.next_cursor
      more = data.has_more
    }
    assert.deepStrictEqual(seen, events)
  })

  it.each([
    "since=-1",
    "since=1.5",
    "since=x",
    "since=9007199254740993",
    "limit=0",
    "limit=201",
    "limit=x",
    "wait=-1",
    "wait=31",
    "wait=x"
  ])("refuses %s with 422", async (query) => {
    const { status, body } = await read(`?${query}`)
    assert.strictEqual(status, 422)
    assert.strictEqual(body.detail.code, "validation_error")
    assert.include(body.detail.message, `query.${query.split("=")[0]}`)
  })

  it("must not be cached anywhere", async () => {
    assert.strictEqual((await read("")).headers.get("cache-control"), "no-store")
  })
})
