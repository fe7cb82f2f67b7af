import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const PUBLIC = { PUBLIC_REQUESTS_PER_MINUTE: "100000", DEMO_KEYS_PER_HOUR: "100" }

let server: TestServer
let app: TestApp
let character_slug: string
beforeAll(async () => {
  server = await startTestServer({ env: PUBLIC })
  app = await server.createApp()
  character_slug = await app.createCharacter()
})
afterAll(() => server.close())

const closers: Array<() => void> = []
afterEach(() => closers.splice(0).forEach((close) => close()))

const openSession = (fields = {}) => app.createSession({ character_slug, ...fields })
const tokenOf = async (session: string, body: unknown = undefined, by = app): Promise<string> =>
  (await by.post(`/v1/sessions/${session}/stream-token`, body)).body.data.token

/** A request without a key. */
const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const response = await fetch(server.baseUrl + path, { method, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === "" ? {} : JSON.parse(text) }
}
type Asked = Awaited<ReturnType<typeof ask>>
const refusal = ({ status, body }: Asked) => [status, body.detail?.code]

/** A stream as it arrives, read without a key. */
const openStream = async (path: string, headers: Record<string, string> = {}) => {
  const request = get(server.baseUrl + path, { headers })
  closers.push(() => request.destroy())
  const [response] = (await once(request, "response")) as [IncomingMessage]
  let text = ""
  response
    .setEncoding("utf8")
    .on("data", (part) => {
      text += part
    })
    .on("error", () => {})
  const cursors = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  const ended = () => until("the end of the stream", () => response.complete)
  return { status: response.statusCode, cursors, ended, isOpen: () => !response.complete }
}
const events = (session: string) => `/v1/sessions/${session}/events`

describe("a stream token", () => {
  it("is valid for 15 minutes, or as long as it is asked for, up to an hour", async () => {
    const session = await openSession()
    let previous = 0
    for (const [body, seconds] of [
      [{ expires_in: 1 }, 1],
      [{ expires_in: 900 }, 900],
      [undefined, 900],
      [{}, 900],
      [{ expires_in: 901 }, 901],
      [{ expires_in: 3600 }, 3600]
    ] as const) {
      const before = Date.now()
      const { status, headers, body: answer } = await app.post(`/v1/sessions/${session}/stream-token`, body)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(answer.data.session_id, session)
      const expiry = Date.parse(answer.data.expires_at)
      assert.isAtLeast(expiry, before + seconds * 1000)
      assert.isAtLeast(expiry, previous)
      previous = expiry
      assert.match(answer.data.token, /^[\w.-]{60,255}$/, "it needs no encoding in a URL")
    }
    for (const expires_in of [0, -1, 3601, 1.5, "60", null]) {
      const { status, body } = await app.post(`/v1/sessions/${session}/stream-token`, { expires_in })
      assert.deepStrictEqual([status, body.detail.code], [422, "validation_error"], String(expires_in))
    }
  })

  it("is stored nowhere", async () => {
    const session = await openSession()
    const token = await tokenOf(session)
    const [signature = ""] = token.split(".").slice(-1)
    const tables = await server.database.sql`
      select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
    for (const { relname } of tables)
      assert.lengthOf(
        await server.database.sql`
          select 1 from ${server.database.sql(relname)} t where t::text like ${`%${signature}%`}`,
        0,
        relname
      )
  })

  it("streams and polls the events of its session, from the query and as a bearer", async () => {
    const session = await openSession()
    await app.converse(session, "What is for dinner?")
    const all = await app.events(session)
    const token = await tokenOf(session)
    const bearer = { authorization: `Bearer ${token}` }
    for (const [query, headers] of [
      [`token=${token}`, {}],
      ["", bearer]
    ] as const) {
      const { status, body } = await ask(`${events(session)}?since=0&${query}`, headers)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.data.events, all)
      const stream = await openStream(`${events(session)}/stream?since=0&${query}`, headers)
      assert.strictEqual(stream.status, 200)
      await until("all events", () => stream.cursors().length === all.length)
    }
    assert.strictEqual((await ask(`${events(session)}?token=${token}`, {}, "HEAD")).status, 200)
  })

  it("continues after Last-Event-ID, as a browser does when it connects again", async () => {
    const session = await openSession()
    await app.converse(session, "What is for dinner?")
    const last = (await app.events(session)).length
    const path = `${events(session)}/stream?since=0&token=${await tokenOf(session)}`
    const stream = await openStream(path, { "last-event-id": String(last - 1) })
    await until("the last event", () => stream.cursors().length > 0)
    const { body } = await app.send(session, "And tomorrow?")
    await until("a live event", () => stream.cursors().includes(body.data.cursor))
    assert.strictEqual(stream.cursors()[0], last)
  })

  it("waits with a poll, also for a turn", async () => {
    const session = await openSession()
    const token = await tokenOf(session)
    const waiting = ask(`${events(session)}?wait=30&token=${token}`)
    const { body } = await app.send(session, "What is for dinner?")
    assert.isNotEmpty((await waiting).body.data.events)
    const turn = await ask(`${events(session)}?wait=30&until=turn:${body.data.run_ref}&token=${token}`)
    assert.strictEqual(turn.body.data.turn.outcome, "replied")
  })

  it("of a demo key works like those of other keys", async () => {
    const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
    const demo = new TestApp(server.baseUrl, data.app_id, data.api_key)
    const session = await demo.createSession({ character_slug: data.character_slugs[0] })
    const token = await tokenOf(session, {}, demo)
    assert.strictEqual((await ask(`${events(session)}?token=${token}`)).status, 200)
  })

  it("is created only for a session of the app", async () => {
    const others = await server.createApp()
    const theirs = await others.createSession()
    for (const session of [theirs, newId("ses"), "ses_short", "%00"]) {
      const { status, body } = await app.post(`/v1/sessions/${session}/stream-token`, {})
      assert.deepStrictEqual([status, body.detail.code], [404, "session_not_found"], session)
    }
  })

  it("counts as a request of the app that created it", async () => {
    const session = await openSession()
    const { headers } = await ask(`${events(session)}?token=${await tokenOf(session)}`)
    assert.match(headers.get("ratelimit") ?? "", /^"requests";r=\d+/)
  })
})

describe("a stream token is refused with what to do, and not repeated,", () => {
  const notRepeated = (text: string, token: string) => {
    assert.notInclude(text, token)
    assert.notInclude(text, token.slice(-43))
  }

  it("for any other session, of the same app, of another one, or of none", async () => {
    const session = await openSession()
    const token = await tokenOf(session)
    const others = await server.createApp()
    for (const other of [await openSession(), await others.createSession(), newId("ses"), "nothing"])
      for (const path of [events(other), `${events(other)}/stream`]) {
        const answer = await ask(`${path}?token=${token}`)
        assert.deepStrictEqual(refusal(answer), [403, "stream_token_not_allowed"], path)
        assert.include(answer.body.detail.fix, "stream-token")
        notRepeated(answer.text, token)
      }
  })

  it("on every other route, in both places", async () => {
    const session = await openSession()
    const token = await tokenOf(session)
    const account = await createAccountIn(server)
    for (const [method, path] of [
      ["GET", `/v1/sessions/${session}`],
      ["GET", `/v1/sessions/${session}/trace`],
      ["GET", "/v1/events"],
      ["GET", "/v1/events/stream"],
      ["GET", "/v1/delivery/events"],
      ["GET", "/v1/me"],
      ["POST", `/v1/sessions/${session}/messages`],
      ["POST", `/v1/sessions/${session}/stream-token`],
      ["POST", "/mcp"],
      ["DELETE", "/v1/end-users/ada"]
    ] as const) {
      const answers = [
        await ask(`${path}?token=${token}`, {}, method),
        await ask(path, { authorization: `Bearer ${token}` }, method)
      ]
      for (const answer of answers) {
        assert.deepStrictEqual(refusal(answer), [403, "stream_token_not_allowed"], path)
        assert.include(answer.body.detail.fix, "GET /v1/sessions/{session_id}/events")
        notRepeated(answer.text, token)
      }
    }
    const onAccount = await ask("/v1/account", { authorization: `Bearer ${token}` })
    assert.deepStrictEqual(refusal(onAccount), [403, "stream_token_not_allowed"])
    assert.strictEqual((await account.client.get("/v1/account")).status, 200)
    assert.include([401, 403], (await ask("/admin/overview", { authorization: `Bearer ${token}` })).status)
  })

  it("if it was changed in any part, or is not one", async () => {
    const session = await openSession()
    const other = await openSession()
    const token = await tokenOf(session)
    const parts = token.split(".")
    const [prefix = "", id = "", expiry = "", signature = ""] = parts
    const late = String(Number(expiry) + 1_000_000)
    const wrong = [
      "",
      "st_",
      "st_...",
      [prefix, other, expiry, signature].join("."),
      [prefix, id, late, signature].join("."),
      [`${prefix}x`, id, expiry, signature].join("."),
      [prefix, id, expiry, ""].join("."),
      parts.slice(0, -1).join("."),
      `${token}x`,
      `${token}=`,
      `${token}.`,
      token.slice(0, -1),
      token.toUpperCase(),
      `st_${"a.".repeat(2000)}`,
      "st_\u0000",
      "st_🙂",
      id
    ]
    for (const text of wrong) {
      const answer = await ask(`${events(other)}?token=${encodeURIComponent(text)}`)
      assert.deepStrictEqual(refusal(answer), [401, "stream_token_invalid"], text)
      assert.include(answer.body.detail.fix, "stream-token")
      if (text.includes(id)) assert.notInclude(answer.text, text)
    }
    const twice = await ask(`${events(session)}?token=${token}&token=${token}`)
    assert.deepStrictEqual(refusal(twice), [401, "stream_token_invalid"])
  })

  it("if it is a key, which must not be in a URL", async () => {
    const session = await openSession()
    const answer = await ask(`${events(session)}?token=${app.key}`)
    assert.deepStrictEqual(refusal(answer), [401, "stream_token_invalid"])
    assert.match(answer.body.detail.message, /^A key must not be sent in a URL/)
    notRepeated(answer.text, app.key)
  })

  it("of another server", async () => {
    const other = await startTestServer()
    try {
      const theirs = await other.createApp()
      const token = await tokenOf(await theirs.createSession(), {}, theirs)
      assert.deepStrictEqual(refusal(await ask(`${events(await openSession())}?token=${token}`)), [
        401,
        "stream_token_invalid"
      ])
    } finally {
      await other.close()
    }
  })

  it("but is not looked at where the request has a key", async () => {
    const session = await openSession()
    assert.strictEqual((await app.get(`${events(session)}?token=nonsense`)).status, 200)
    const expired = await ask(`${events(session)}?token=${await tokenOf(session)}`, { authorization: "Bearer ck_no" })
    assert.strictEqual(expired.status, 403)
  })
})

describe("a stream token ends", () => {
  it("when it expires, with its streams and waiting polls, and others of the session go on", async () => {
    const session = await openSession()
    const [short, long] = [await tokenOf(session, { expires_in: 2 }), await tokenOf(session)]
    const path = `${events(session)}/stream?token=`
    const [ending, lasting] = [await openStream(path + short), await openStream(path + long)]
    const waiting = ask(`${events(session)}?wait=30&token=${short}`)
    assert.deepStrictEqual([ending.status, lasting.status], [200, 200])
    await ending.ended()
    assert.deepStrictEqual(refusal(await waiting), [401, "stream_token_expired"])
    for (const url of [`${events(session)}?token=${short}`, path + short]) {
      const answer = await ask(url)
      assert.deepStrictEqual(refusal(answer), [401, "stream_token_expired"])
      assert.include(answer.body.detail.fix, "POST /v1/sessions/{session_id}/stream-token")
    }
    assert.isTrue(lasting.isOpen())
    const { body } = await app.send(session, "Still there?")
    await until("a live event", () => lasting.cursors().includes(body.data.cursor))
  })

  const keysOf = async () => {
    const account = await createAccountIn(server)
    const app_id = (await account.client.post("/v1/account/apps", { name: "app" })).body.data.app_id
    const keys = `/v1/account/apps/${app_id}/api-keys`
    const { api_key, prefix } = (await account.client.post(keys, {})).body.data
    return { own: new TestApp(server.baseUrl, app_id, api_key), keys, prefix, client: account.client }
  }

  it.each(["revoke", "rotate"])("when its key ends, not with others of the app: %s", async (how) => {
    const { own, keys, prefix, client } = await keysOf()
    const other = new TestApp(server.baseUrl, own.appId, (await client.post(keys, {})).body.data.api_key)
    const session = await own.createSession()
    const [token, kept] = [await tokenOf(session, {}, own), await tokenOf(session, {}, other)]
    const stream = await openStream(`${events(session)}/stream?token=${token}`)
    const waiting = ask(`${events(session)}?wait=30&token=${token}`)
    assert.strictEqual((await client.post(`${keys}/${prefix}/${how}`, {})).status, 200)
    await stream.ended()
    for (const answer of [await waiting, await ask(`${events(session)}?token=${token}`)]) {
      assert.deepStrictEqual(refusal(answer), [401, "stream_token_invalid"])
      assert.match(answer.body.detail.message, /key that created this stream token/)
    }
    assert.strictEqual((await ask(`${events(session)}?token=${kept}`)).status, 200)
  })

  it("when its key expires", async () => {
    const { own, prefix } = await keysOf()
    const session = await own.createSession()
    const token = await tokenOf(session, {}, own)
    const stream = await openStream(`${events(session)}/stream?token=${token}`)
    await server.database.sql`update api_keys set expires_at = now() where prefix = ${prefix}`
    await stream.ended()
    const refused = await until("the refusal", async () => {
      const answer = await ask(`${events(session)}?token=${token}`)
      return answer.status === 200 ? undefined : answer
    })
    assert.deepStrictEqual(refusal(refused), [401, "stream_token_invalid"])
  })

  it("when the operator suspends the app, and works again when it is resumed", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    const token = await tokenOf(session, {}, own)
    const stream = await openStream(`${events(session)}/stream?token=${token}`)
    const operator = await createOperatorIn(server, "operator")
    const act = (what: string) => operator.post(`/admin/apps/${own.appId}/${what}`, { reason: "unpaid" })
    assert.strictEqual((await act("suspend")).status, 200)
    await stream.ended()
    await until("the refusal", async () => {
      const answer = await ask(`${events(session)}?token=${token}`)
      return answer.status === 403 && answer.body.detail.code === "app_suspended"
    })
    assert.strictEqual((await act("resume")).status, 200)
    await until("an answer", async () => (await ask(`${events(session)}?token=${token}`)).status === 200)
  })

  it("when its person is erased, with its streams and waiting polls, and so do those of a key", async () => {
    const external_user_ref = "ada"
    const session = await openSession({ external_user_ref })
    const token = await tokenOf(session)
    const bearer = { authorization: `Bearer ${app.key}` }
    const streams = [
      await openStream(`${events(session)}/stream?token=${token}`),
      await openStream(`${events(session)}/stream`, bearer)
    ]
    const waiting = [ask(`${events(session)}?wait=30&token=${token}`), ask(`${events(session)}?wait=30`, bearer)]
    await app.delete(`/v1/end-users/${external_user_ref}`)
    for (const stream of streams) await stream.ended()
    for (const answer of [...(await Promise.all(waiting)), await ask(`${events(session)}?token=${token}`)])
      assert.deepStrictEqual(refusal(answer), [404, "session_not_found"])
  })
})
