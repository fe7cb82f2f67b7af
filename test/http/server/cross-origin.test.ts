import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const ORIGIN = "https://app.example.com"
const OTHER = "http://localhost:5173"

let server: TestServer
let open: TestServer
let closed: TestServer
let app: TestApp
let session: string
beforeAll(async () => {
  server = await startTestServer({ env: { CORS_ORIGINS: `${ORIGIN}, ${OTHER}`, PUBLIC_REQUESTS_PER_MINUTE: "5" } })
  open = await startTestServer({ env: { CORS_ORIGINS: "*" } })
  closed = await startTestServer()
  app = await server.createApp()
  session = await app.createSession()
})
afterAll(async () => {
  for (const each of [server, open, closed]) await each.close()
})

const ask = (
  path: string,
  headers: Record<string, string> = {},
  { at = server, ...init }: RequestInit & { readonly at?: TestServer } = {}
) => fetch(at.baseUrl + path, { ...init, headers: { ...headers } })
const preflight = (path: string, origin: string, at = server) =>
  ask(
    path,
    {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key"
    },
    { at, method: "OPTIONS" }
  )
const listOf = (headers: Headers, name: string) =>
  (headers.get(name) ?? "").split(",").map((item) => item.trim().toLowerCase())
const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-") || name === "vary")

describe("a page of an allowed origin", () => {
  it.each([ORIGIN, OTHER])("may ask for what a client sends and reads: %s", async (origin) => {
    const response = await preflight(`/v1/sessions/${session}/messages`, origin)
    assert.strictEqual(response.status, 204)
    assert.strictEqual(response.headers.get("access-control-allow-origin"), origin)
    assert.include(listOf(response.headers, "vary"), "origin")
    assert.includeMembers(listOf(response.headers, "access-control-allow-methods"), ["get", "post", "patch", "delete"])
    assert.includeMembers(listOf(response.headers, "access-control-allow-headers"), [
      "authorization",
      "content-type",
      "idempotency-key",
      "last-event-id"
    ])
    assert.isNull(response.headers.get("access-control-allow-credentials"))
    assert.isNotNull(response.headers.get("x-request-id"))
    assert.strictEqual(await response.text(), "")
  })

  it("may read answers, streams and errors of every kind, with the headers that it needs", async () => {
    const key = { authorization: `Bearer ${app.key}` }
    const events = `/v1/sessions/${session}/events`
    const asked: ReadonlyArray<readonly [number, Promise<Response>]> = [
      [200, ask(events, { origin: ORIGIN, ...key })],
      [200, ask(`${events}/stream`, { origin: ORIGIN, ...key })],
      [401, ask(events, { origin: ORIGIN })],
      [401, ask(`${events}/stream?token=st_no`, { origin: ORIGIN })],
      [403, ask("/v1/me", { origin: ORIGIN, authorization: "Bearer ck_no" })],
      [404, ask("/v1/sessions/ses_no/events", { origin: ORIGIN, ...key })],
      [404, ask("/v1/no-such-route", { origin: ORIGIN })],
      [404, ask("/v1/%zz", { origin: ORIGIN })],
      [405, ask("/v1/me", { origin: ORIGIN, ...key }, { method: "PUT" })],
      [422, ask(`${events}?since=x`, { origin: ORIGIN, ...key })],
      [415, ask("/v1/sessions", { origin: ORIGIN, ...key, "content-type": "text/csv" }, { method: "POST", body: "a" })]
    ]
    for (const [status, asking] of asked) {
      const response = await asking
      assert.strictEqual(response.status, status, response.url)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), ORIGIN, response.url)
      assert.include(listOf(response.headers, "vary"), "origin", response.url)
      assert.includeMembers(
        listOf(response.headers, "access-control-expose-headers"),
        ["x-request-id", "retry-after", "etag", "ratelimit", "ratelimit-policy"],
        response.url
      )
      await response.body?.cancel()
    }
  })

  it("may read that it has to wait", async () => {
    const statuses = []
    for (let n = 0; n < 7; n++) {
      const response = await ask("/v1/llms.txt", { origin: ORIGIN })
      statuses.push(response.status)
      assert.strictEqual(response.headers.get("access-control-allow-origin"), ORIGIN)
      await response.body?.cancel()
    }
    assert.include(statuses, 429)
  })
})

describe("any other page", () => {
  it.each([
    "https://app.example.com:8443",
    "http://app.example.com",
    "https://app.example.com.evil.example",
    "https://evil-app.example.com",
    "https://APP.example.com",
    "http://localhost",
    "null"
  ])("may read nothing: %s", async (origin) => {
    assert.isNull((await preflight("/v1/sessions", origin)).headers.get("access-control-allow-origin"))
    for (const method of ["GET", "PUT"]) {
      const response = await ask("/v1/me", { origin, authorization: `Bearer ${app.key}` }, { method })
      assert.isNull(response.headers.get("access-control-allow-origin"))
      assert.include(listOf(response.headers, "vary"), "origin")
    }
  })

  it("gets an answer that caches keep apart, and so does a request without an origin", async () => {
    const response = await ask("/v1/me", { authorization: `Bearer ${app.key}` })
    assert.deepStrictEqual(corsOf(response), ["vary"])
  })
})

describe("what is not the API", () => {
  it("is open to no page, whatever its origin", async () => {
    const { key } = await createOperatorIn(server, "viewer")
    for (const at of [server, open]) {
      for (const path of ["/console", "/admin/overview", "/device", "/docs/", "/openapi.json", "/healthz", "/v10"]) {
        const response = await ask(path, { origin: ORIGIN, authorization: `Bearer ${key}` }, { at, redirect: "manual" })
        assert.isNull(response.headers.get("access-control-allow-origin"), path)
        const asked = await preflight(path, ORIGIN, at)
        assert.isNull(asked.headers.get("access-control-allow-origin"), path)
        assert.notStrictEqual(asked.status, 204, path)
      }
    }
  })
})

describe("CORS_ORIGINS=*", () => {
  it("opens the API to every page, which can send no cookie", async () => {
    for (const origin of [ORIGIN, "https://any.example", "null"]) {
      const asked = await preflight("/v1/sessions", origin, open)
      assert.strictEqual(asked.status, 204)
      const response = await ask("/v1/me", { origin }, { at: open })
      assert.strictEqual(response.status, 401)
      for (const each of [asked, response]) {
        assert.strictEqual(each.headers.get("access-control-allow-origin"), "*")
        assert.isNull(each.headers.get("access-control-allow-credentials"))
      }
    }
  })
})

describe("without CORS_ORIGINS", () => {
  it("no page may read anything, and answers are as for other clients", async () => {
    const asked = await preflight("/v1/me", ORIGIN, closed)
    assert.strictEqual(asked.status, 405)
    for (const response of [asked, await ask("/v1/me", { origin: ORIGIN }, { at: closed })])
      assert.deepStrictEqual(corsOf(response), [])
  })
})
