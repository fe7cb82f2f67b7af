import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { rawClient } from "#test/support/hostile/rawRequest.ts"
import { createTestDatabase } from "#test/support/TestDatabase.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let session: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  session = await app.createSession()
})
afterAll(() => server.close())

const messages = () => `/v1/sessions/${session}/messages`

describe("a structured error", () => {
  it("is an object detail with code, message, fix and request_id", async () => {
    const { status, headers, body } = await app.get("/v1/characters/nobody")
    assert.strictEqual(status, 404)
    assert.match(headers.get("content-type") ?? "", /^application\/json/)
    assert.hasAllKeys(body, ["detail"])
    assert.hasAllKeys(body.detail, ["code", "message", "fix", "request_id"])
    for (const field of ["code", "message", "fix"]) assert.isNotEmpty(body.detail[field])
    assert.strictEqual(body.detail.request_id, headers.get("x-request-id"))
  })
})

describe("a body", () => {
  it.each(["{not json", '{"text":', "[1,]", "NaN", "text=hello", "\u0000"])(
    "that is not JSON is 422 validation_error: %j",
    async (text) => {
      const { status, body } = await app.request("POST", messages(), text)
      assert.strictEqual(status, 422)
      assert.strictEqual(body.detail.code, "validation_error")
      assert.match(body.detail.message, /^body/)
    }
  )

  it.each([
    ['{"text":"a",}', "line 1 column 13"],
    ['{"text":', "Unexpected end of JSON input"],
    ['{"text":"secret",\n"mode":fast}', "Unexpected token"]
  ])("that is not JSON is refused with what is wrong where, and is not repeated: %j", async (text, expected) => {
    const { body } = await app.request("POST", messages(), text)
    assert.include(body.detail.message, expected)
    assert.include(body.detail.fix, "double quotes")
    assert.notInclude(JSON.stringify(body), "secret")
  })

  it("that lacks several fields names all of them at once, what was found, and what was probably meant", async () => {
    const { status, body } = await app.post("/v1/sessions", { external_user_rfe: "anna", new_thread: "yes" })
    assert.strictEqual(status, 422)
    for (const part of ["body.external_user_ref: Required", "body.character_slug: Required", "received string"])
      assert.include(body.detail.message, part)
    assert.include(body.detail.fix, "Rename body.external_user_rfe to external_user_ref")
  })

  it.each(["", "  ", "null", "[]", '"text"', "7"])(
    "that is JSON but not an object is 422 validation_error: %j",
    async (text) => {
      const { status, body } = await app.request("POST", messages(), text)
      assert.strictEqual(status, 422)
      assert.strictEqual(body.detail.code, "validation_error")
    }
  )

  it.each(["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"])(
    "is read as JSON with the content type %s",
    async (type) => {
      const slug = `by-${createHash("sha1").update(type).digest("hex")}`
      assert.strictEqual(
        (await app.post("/v1/characters", { slug, display_name: "Typed" }, { "content-type": type })).status,
        200
      )
    }
  )

  it.each([
    "application/x-www-form-urlencoded",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "nonsense",
    "text/json+"
  ])("of another content type is 415 unsupported_media_type, which names it: %s", async (type) => {
    const { status, body } = await app.post(messages(), { text: "Hello" }, { "content-type": type })
    assert.deepStrictEqual([status, body.detail.code], [415, "unsupported_media_type"])
    assert.include(body.detail.message, type.split(";", 1)[0])
    assert.include(body.detail.fix, "application/json")
  })

  it.each(["", "  ", "; charset=utf-8"])(
    "of an empty content type is 415 unsupported_media_type, which says so: %j",
    async (type) => {
      const { status, body } = await app.post(messages(), { text: "Hello" }, { "content-type": type })
      assert.deepStrictEqual([status, body.detail.code], [415, "unsupported_media_type"])
      assert.include(body.detail.message, "an empty Content-Type")
      assert.include(body.detail.fix, "application/json")
    }
  )

  it("of a content type that no header may have is 415, even if it ends like JSON", async () => {
    const { status, body } = await app.post(messages(), { text: "Hello" }, { "content-type": "application/a b+json" })
    assert.deepStrictEqual([status, body.detail.code], [415, "unsupported_media_type"])
  })

  it.each(["gzip", "br", "deflate, gzip"])(
    "that is compressed is 415 unsupported_media_type, which names the encoding: %s",
    async (encoding) => {
      const { status, body } = await app.request(
        "POST",
        messages(),
        { text: "Hello" },
        { "content-encoding": encoding }
      )
      assert.deepStrictEqual([status, body.detail.code], [415, "unsupported_media_type"])
      assert.include(body.detail.message, `Content-Encoding: ${encoding}`)
      assert.include(body.detail.fix, "uncompressed")
    }
  )

  it.each(["utf-16", "ISO-8859-1", '"utf-32"'])(
    "in another charset is 415 unsupported_media_type, which names it: %s",
    async (charset) => {
      const { status, body } = await app.post(
        messages(),
        { text: "Hello" },
        { "content-type": `application/json; charset=${charset}` }
      )
      assert.deepStrictEqual([status, body.detail.code], [415, "unsupported_media_type"])
      assert.include(body.detail.message, charset.replaceAll('"', ""))
      assert.include(body.detail.fix, "UTF-8")
    }
  )

  it("is read even if the client sends an Expect header", async () => {
    const answer = await rawClient(server.baseUrl).send({
      method: "POST",
      path: messages(),
      body: JSON.stringify({ text: "Hello" }),
      headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json", expect: "200-ok" }
    })
    assert.strictEqual(answer.status, 200)
  })

  it.each(["text/plain", "nonsense", ""])("that is empty may have any content type: %j", async (type) => {
    const slug = await app.createCharacter()
    const response = await fetch(`${server.baseUrl}/v1/characters/${slug}/versions/1/restore`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}`, "content-type": type }
    })
    assert.strictEqual(response.status, 200)
  })

  it.each([
    ["U+0000", String.raw`{"text":"a\u0000b"}`, "body.text"],
    ["half a surrogate pair", String.raw`{"text":"a\ud83d"}`, "body.text"],
    ["the other half", String.raw`{"text":"\ude00a"}`, "body.text"],
    ["U+0000 in a key", String.raw`{"text":"a","k\u0000":1}`, "body"],
    ["U+0000 deep in an ignored field", String.raw`{"text":"a","other":[{"x":"\u0000"}]}`, "body.other[0].x"]
  ])("that contains %s is 422 validation_error with its path", async (_, text, place) => {
    const { status, body } = await app.request("POST", messages(), text)
    assert.strictEqual(status, 422)
    assert.strictEqual(body.detail.code, "validation_error")
    assert.include(body.detail.message, place)
  })

  it("may contain a whole surrogate pair, and an escaped backslash before u0000", async () => {
    const { status, body } = await app.request("POST", messages(), String.raw`{"text":"\ud83d\ude00 \\u0000"}`)
    assert.strictEqual(status, 200)
    const [said] = await app.events(session, body.data.cursor - 1)
    assert.strictEqual(said?.payload["text"], "😀 \\u0000")
  })

  it.each([
    ["too large for any double", `{"text":"a","x":[1,{"y":1e999}]}`, "body.x[1].y"],
    ["the same, written out", `{"text":"a","x":-${"9".repeat(400)}}`, "body.x"],
    ["a whole number that would be rounded", `{"text":"a","x":{"id":9007199254740993}}`, "body.x.id"],
    ["a body that is only a number", "1e999", "body:"]
  ])("that contains a number that cannot be stored is 422 with its path and a solution: %s", async (_, text, place) => {
    const { status, body } = await app.request("POST", messages(), text)
    assert.deepStrictEqual([status, body.detail.code], [422, "validation_error"])
    assert.include(body.detail.message, place)
    assert.include(body.detail.fix, "as a string")
  })

  it("may contain any number that can be stored, and digits and exponents in texts", async () => {
    const metadata = {
      big: 9007199254740992,
      bigger: 1e300,
      small: 0,
      exact: 1152921504606846976,
      half: 0.5,
      text: "9007199254740993 1e999"
    }
    const { status, body } = await app.request(
      "POST",
      "/v1/sessions",
      `{"external_user_ref":"n","character_slug":"${await app.createCharacter()}",` +
        `"metadata":{"big":9007199254740992,"bigger":1e300,"small":1e-999,"exact":1152921504606846976,` +
        `"half":0.5000000000000000000,"text":"9007199254740993 1e999"}}`
    )
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.data.metadata, metadata)
  })

  it("that is not valid UTF-8 is 422, and not decoded with replacement characters", async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const response = await fetch(server.baseUrl + messages(), {
        method: "POST",
        headers: { authorization: `Bearer ${app.key}` },
        body: Buffer.concat([Buffer.from(`{"text":"a`), Buffer.from(bytes), Buffer.from(`"}`)])
      })
      const { detail } = (await response.json()) as { detail: { code: string; message: string } }
      assert.deepStrictEqual(
        [response.status, detail.code, detail.message],
        [422, "validation_error", "body: is not valid UTF-8"]
      )
    }
  })

  it("that is nested too deeply is 422, not a crash", async () => {
    const { status } = await app.request(
      "POST",
      messages(),
      `{"text":"a","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
    )
    assert.strictEqual(status, 422)
  })

  it("over 1 MiB is 413 payload_too_large", async () => {
    const { status, body } = await app.post(messages(), { text: "x".repeat(1024 * 1024) })
    assert.strictEqual(status, 413)
    assert.strictEqual(body.detail.code, "payload_too_large")
  })

  it("may contain unknown fields, which are named in ignored_fields", async () => {
    const { status, body } = await app.post(messages(), { text: "Hello", replymode: "deep", user: { name: "x" } })
    assert.strictEqual(status, 200)
    assert.strictEqual(body.data.reply_mode, "fast")
    assert.deepStrictEqual(body.data.ignored_fields, ["replymode", "user"])
    assert.deepStrictEqual(body.data.did_you_mean, { replymode: "reply_mode" })
  })
})

describe("an unknown route", () => {
  it.each([
    ["GET", "/v1/nothing"],
    ["POST", "/v1/nothing"],
    ["PUT", "/v1/characters/x/y"],
    ["GET", "/admin/users"],
    ["GET", "/v1/sessions/%ZZ/events"],
    ["GET", "/v1/characters/%E0%A4%A"]
  ])("is 404 route_not_found: %s %s", async (method, path) => {
    const { status, headers, body } = await app.request(method, path)
    assert.strictEqual(status, 404)
    assert.strictEqual(body.detail.code, "route_not_found")
    assert.strictEqual(body.detail.request_id, headers.get("x-request-id"))
  })
})

describe("a misspelt route", () => {
  it.each([
    ["GET", "/v1/sesions", "/v1/sessions (GET, POST)"],
    ["GET", "/sessions", "/v1/sessions (GET, POST)"],
    ["GET", "/v1/me/", "/v1/me (GET)"],
    ["POST", "/v1/sessions/ses_1/mesages?x=ck_hidden", "/v1/sessions/{session_id}/messages (POST)"]
  ])("is named with the one that was probably meant: %s %s", async (method, path, meant) => {
    const { status, body } = await app.request(method, path)
    assert.deepStrictEqual([status, body.detail.code], [404, "route_not_found"])
    assert.include(body.detail.message, `${method} ${path.split("?")[0]}`)
    assert.include(body.detail.fix, `Did you mean ${meant}?`)
    assert.notInclude(JSON.stringify(body), "hidden")
  })

  it("is named alone if no route is like it, however long it is", async () => {
    for (const path of ["/v1/nothing/at/all", `/v1/${"sessions".repeat(500)}`]) {
      const { body } = await app.get(path)
      assert.notInclude(body.detail.fix, "Did you mean")
      assert.isBelow(body.detail.message.length, 200)
    }
  })
})

describe("the address of the server in a browser", () => {
  const open = async (path: string, accept: string) => {
    const response = await fetch(server.baseUrl + path, { headers: { accept } })
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() }
  }

  it("is a page with the ways on, or links for a program", async () => {
    const { status, type, text } = await open("/", "text/html,*/*")
    assert.deepStrictEqual([status, type], [200, "text/html; charset=utf-8"])
    for (const path of ["/docs/", "/console", "/openapi.json", "/v1/llms.txt"]) assert.include(text, `href="${path}"`)
    const links = JSON.parse((await open("/", "application/json")).text)
    assert.deepInclude(links, { name: "troupe", docs: "/docs/" })
  })

  it("has an icon", async () => {
    const { status, type } = await open("/favicon.ico", "image/*")
    assert.deepStrictEqual([status, type], [200, "image/svg+xml"])
  })

  it("answers an address that does not exist with a page that leads back, and programs with the error", async () => {
    for (const [path, back] of [
      ["/nothing", "/"],
      ["/device/nothing", "/device"]
    ] as const) {
      const { type, text } = await open(path, "text/html")
      assert.strictEqual(type, "text/html; charset=utf-8", path)
      assert.include(text, `href="${back}`, path)
    }
    for (const [path, accept] of [
      ["/nothing", "*/*"],
      ["/v1/nothing", "text/html"]
    ] as const)
      assert.strictEqual(JSON.parse((await open(path, accept)).text).detail.code, "route_not_found")
  })
})

describe("x-request-id", () => {
  it("is on every response, and differs for each request", async () => {
    const answers = await Promise.all([
      app.get("/v1/me"),
      app.get("/v1/me"),
      app.get("/v1/nothing"),
      app.post(messages(), {}),
      fetch(`${server.baseUrl}/v1/me`)
    ])
    const ids = answers.map((answer) => answer.headers.get("x-request-id"))
    assert.strictEqual(new Set(ids).size, answers.length)
    for (const id of ids) assert.match(id ?? "", /^req_/)
  })

  it("is the caller's if it is valid", async () => {
    for (const id of ["abc-123", "A.b:c_d", "x".repeat(128)]) {
      const { headers, body } = await app.get("/v1/characters/nobody", { "x-request-id": id })
      assert.strictEqual(headers.get("x-request-id"), id)
      assert.strictEqual(body.detail.request_id, id)
    }
  })

  it("is generated if the caller's is not valid", async () => {
    for (const id of ["", "x".repeat(129), "with space", "<script>"]) {
      const { headers } = await app.get("/v1/me", { "x-request-id": id })
      assert.match(headers.get("x-request-id") ?? "", /^req_[0-9A-Z]{26}$/)
    }
  })
})

describe("every response", () => {
  it("has the usual security headers, whether it succeeds or not, and none that opens it to browsers", async () => {
    for (const { headers } of [
      await app.get("/v1/me"),
      await app.get("/v1/nothing"),
      await app.get("/v1/characters/%ZZ"),
      await app.post(messages(), {}),
      await fetch(`${server.baseUrl}/v1/me`)
    ]) {
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.include(headers.get("content-security-policy"), "default-src 'none'")
      assert.isNotNull(headers.get("strict-transport-security"))
      assert.isNotNull(headers.get("x-frame-options"))
      assert.isNull(headers.get("x-powered-by"))
      assert.isNull(headers.get("access-control-allow-origin"))
    }
  })
})

describe("HEAD and OPTIONS", () => {
  it("change nothing and end at once on every path", async () => {
    const session = await app.createSession()
    const before = await app.events(session)
    const paths = [
      "/v1/me",
      "/v1/characters",
      "/v1/sessions",
      `/v1/sessions/${session}`,
      `/v1/sessions/${session}/messages`,
      `/v1/sessions/${session}/events`,
      `/v1/sessions/${session}/events/stream`,
      `/v1/apps/${app.appId}`
    ]
    for (const method of ["HEAD", "OPTIONS"]) {
      for (const path of paths) {
        const response = await fetch(server.baseUrl + path, {
          method,
          headers: { authorization: `Bearer ${app.key}` },
          signal: AbortSignal.timeout(5000)
        })
        assert.include([200, 405], response.status, `${method} ${path}`)
        if (method === "HEAD") assert.strictEqual(await response.text(), "")
      }
    }
    assert.strictEqual((await app.events(session)).length, before.length)
  })

  it("require the key as GET does", async () => {
    assert.strictEqual((await fetch(`${server.baseUrl}/v1/me`, { method: "HEAD" })).status, 401)
  })
})

describe("an unreachable database", () => {
  it("is 503 with a plain-string detail on every route, and the server recovers", async () => {
    const database = await createTestDatabase()
    const broken = await startTestServer({ database })
    const own = await broken.createApp()
    const talk = await own.createSession()
    const name = new URL(database.url).pathname.slice(1)
    const away = `${name}_away`
    // A database cannot be renamed while anybody is connected, so the connections are ended at the same time.
    const admin = server.database.sql
    const rename = async (from: string, to: string) => {
      for (;;) {
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`
        const done = await admin`alter database ${admin(from)} rename to ${admin(to)}`.then(
          () => true,
          () => false
        )
        if (done) return
      }
    }
    await rename(name, away)
    try {
      for (const answer of [
        await own.get("/v1/me"),
        await own.send(talk, "Hello"),
        await own.get(`/v1/sessions/${talk}/events`),
        await own.get(`/v1/sessions/${talk}/events/stream`),
        await own.get("/readyz")
      ]) {
        assert.strictEqual(answer.status, 503)
        assert.isString(answer.body.detail)
        assert.isNotNull(answer.headers.get("retry-after"))
      }
      assert.strictEqual((await own.get("/healthz")).status, 200)
    } finally {
      await rename(away, name)
    }
    assert.strictEqual((await own.converse(talk, "What is for dinner?")).type, "message.created")
    await broken.close()
    await database.drop()
  })
})
