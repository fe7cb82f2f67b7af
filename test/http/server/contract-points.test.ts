import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type TestApp } from "#test/support/TestApp.ts"
import { MAX_PAGE } from "#channels/event-log/EventLog.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let session: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  session = await app.createSession({ character_slug: await app.createCharacter() })
})
afterAll(() => server.close())

describe("an invisible text", () => {
  it.each([
    ["zero-width spaces", "\u200b\u200b"],
    ["zero-width joiners", "\u200d\u2060\ufeff"],
    ["bidirectional controls", "\u202e\u2066\u2069\u061c"],
    ["variation selectors", "\ufe0f\u{e0100}"],
    ["Hangul fillers", "\u3164\u115f\u1160\uffa0"],
    ["control characters", "\u0001\u0007\u007f\u0085"],
    ["soft hyphens and tags", "\u00ad\u{e0001}\u{e0041}"],
    ["spaces of other kinds", "\u00a0\u2003\u3000\u2028\u1680"],
    ["an empty Braille cell", "\u2800"],
    ["accents without a letter", "\u0301\u0308"],
    ["private characters", "\ue000\u{f0000}"],
    ["the object replacement character", "\ufffc"],
    ["a skin tone without a hand", "\u{1f3fb}"],
    ["all of them", " \u200b\u3164\ufe0f\u0001"]
  ])("is treated as a missing one, as a message and as a name: %s", async (_, text) => {
    const length = `${text.length} ${text.length === 1 ? "character" : "characters"}`
    const message = (field: string) => `body.${field}: Must not be blank, received text of ${length}`
    const said = await app.send(session, text)
    assert.deepStrictEqual([said.status, said.body.detail.message], [422, message("text")])
    const named = await app.post("/v1/characters", { slug: "nobody", display_name: text })
    assert.deepStrictEqual([named.status, named.body.detail.message], [422, message("display_name")])
  })

  it.each(["❤\ufe0f", "👩‍👩‍👧", "می‌خواهم", "\u0301a", ".", "\u{1fae9}"])(
    "does not include a text with a visible character in it: %s",
    async (text) => {
      assert.strictEqual((await app.send(session, text)).status, 200)
    }
  )
})

describe("a method that a path does not support", () => {
  it.each([
    ["PUT", "/v1/me", "GET, HEAD"],
    ["GET", "/v1/sessions/ses_1/messages", "POST"],
    ["POST", "/v1/characters/mara", "DELETE, GET, HEAD, PATCH"],
    ["DELETE", "/openapi.json", "GET, HEAD"],
    ["PATCH", "/v1/account/device/start", "POST"],
    ["OPTIONS", "/v1/me", "GET, HEAD"]
  ])("is 405 method_not_allowed, with Allow: %s %s", async (method, path, allow) => {
    const { status, headers, body } = await app.request(method, path)
    assert.deepStrictEqual([status, body.detail?.code, headers.get("allow")], [405, "method_not_allowed", allow])
    assert.include(body.detail.message, method)
  })

  it.each([
    ["QUERY", undefined, {}],
    ["QUERY", "{}", {}],
    ["QUERY", "{}", { "content-type": "application/sql" }],
    ["POST", "{not json", {}],
    ["POST", "{}", { "content-type": "nonsense" }],
    ["POST", "{}", { "content-type": "" }],
    ["POST", "x".repeat(2 * 1024 * 1024), { "content-type": "text/plain" }]
  ])("is 405 whatever the body is: %s %.10s %j", async (method, sent, headers) => {
    const known = await app.request(method, "/v1/me", sent, headers)
    assert.deepStrictEqual([known.status, known.body.detail.code], [405, "method_not_allowed"])
    assert.strictEqual(known.headers.get("allow"), "GET, HEAD")
    const unknown = await app.request(method, "/v1/nothing", sent, headers)
    assert.deepStrictEqual([unknown.status, unknown.body.detail.code], [404, "route_not_found"])
  })

  it("differs from a path that does not exist, which is 404", async () => {
    for (const path of ["/v1/nothing", "/v1/characters/mara/nothing", "/v1/me/", "//", "/v1/characters//versions"]) {
      const { status, body } = await app.request("PUT", path)
      assert.deepStrictEqual([status, body.detail.code], [404, "route_not_found"], path)
    }
  })
})

describe("a cursor", () => {
  it.each(["99999999999999999", "9999999999999999", "-1", "1.5", "", "x"])(
    "that is invalid is refused with what it must be: %s",
    async (since) => {
      const { status, body } = await app.get(`/v1/sessions/${session}/events?since=${since}`)
      assert.strictEqual(status, 422)
      assert.include(body.detail.message, "query.since: Must be a cursor: a whole number from 0 to 9007199254740991")
    }
  )
})

describe("a number in a query", () => {
  it.each(["abc", "1.5", "0", "-0.5", "101", "", "NaN", "1e999", "1&limit=2"])(
    "that is invalid is refused with what it must be: limit=%s",
    async (limit) => {
      for (const [path, most] of [
        [`/v1/sessions/${session}/events`, MAX_PAGE],
        ["/v1/delivery/events", MAX_PAGE],
        ["/v1/characters", 100]
      ] as const) {
        const { status, body } = await app.get(`${path}?limit=${limit === "101" ? most + 1 : limit}`)
        const message = `query.limit: Must be a whole number from 1 to ${most}`
        assert.strictEqual(status, 422)
        assert.include(body.detail.message, message)
      }
    }
  )

  it.each(["abc", "-1", "30.5", "NaN"])("that is invalid is refused with what it must be: wait=%s", async (wait) => {
    for (const path of [`/v1/sessions/${session}/events`, "/v1/delivery/events"]) {
      const { status, body } = await app.get(`${path}?wait=${wait}`)
      assert.strictEqual(status, 422)
      assert.include(body.detail.message, `query.wait: Must be a number from 0 to 30, received "${wait}"`)
    }
  })
})

describe("a timestamp", () => {
  it("in another format is refused with the expected format", async () => {
    const { status, body } = await app.post(`/v1/sessions/${session}/memories/search`, { query: "x", at: "tomorrow" })
    if (status === 422) assert.include(body.detail.message, "2026-01-31T12:00:00Z")
    const listed = await app.get("/v1/usage?from=yesterday")
    assert.strictEqual(listed.status, 422)
    assert.include(listed.body.detail.message, "such as 2026-01-31")
  })
})

describe("an incomplete body", () => {
  // Takes the promised thirty seconds, because only the time shows it.
  it("ends after 30 seconds with 408, even if it arrives slowly", async () => {
    const { hostname, port } = new URL(server.baseUrl)
    const socket = connect(Number(port), hostname)
    let answer = ""
    socket
      .setEncoding("utf8")
      .on("data", (data: string) => {
        answer += data
      })
      .on("error", () => {})
    const begunAt = performance.now()
    socket.write(
      `POST /v1/sessions/${session}/messages HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ` +
        `${app.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
    )
    const trickle = setInterval(() => socket.write(" "), 2_000)
    const closed = new Promise<void>((done) => {
      socket.once("close", () => done())
    })
    // What is written after the answer fails.
    socket.once("data", () => clearInterval(trickle))
    await closed
    clearInterval(trickle)
    assert.isTrue(answer.startsWith("HTTP/1.1 408 "), answer)
    assert.include(answer, "request_timeout")
    assert.isAtLeast(performance.now() - begunAt, 29_000)
  })
})
