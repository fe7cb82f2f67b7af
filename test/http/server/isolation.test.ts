import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import type { Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let other: TestApp
/** The other app's resources, by the part of the path that names them. */
let foreign: Record<"app" | "character" | "session", string>
const absent = { app: newId("app"), character: "nobody-here", session: newId("ses") }

beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  other = await server.createApp()
  const character = await other.createCharacter()
  foreign = { app: other.appId, character, session: await other.createSession({ character_slug: character }) }
})
afterAll(() => server.close())

interface Route {
  readonly method: string
  readonly kind: keyof typeof absent
  /** With {id} as the placeholder for the id. */
  readonly path: string
  readonly body?: object
  /** A request that is invalid by itself: a body, or a query. */
  readonly wrong?: { readonly body?: unknown; readonly query?: string; readonly headers?: Record<string, string> }
}

const routes: ReadonlyArray<Route> = [
  { method: "PATCH", kind: "app", path: "/v1/apps/{id}", body: { name: "x" }, wrong: { body: { name: 1 } } },
  { method: "GET", kind: "character", path: "/v1/characters/{id}" },
  {
    method: "PATCH",
    kind: "character",
    path: "/v1/characters/{id}",
    body: { visible_bio: "x" },
    wrong: { body: { visible_bio: 1 } }
  },
  { method: "GET", kind: "character", path: "/v1/characters/{id}/versions", wrong: { query: "?limit=0" } },
  { method: "GET", kind: "character", path: "/v1/characters/{id}/versions", wrong: { query: "?cursor=x" } },
  {
    method: "POST",
    kind: "character",
    path: "/v1/characters/{id}/versions/1/restore",
    wrong: { headers: { "idempotency-key": "k".repeat(256) } }
  },
  { method: "POST", kind: "character", path: "/v1/characters/{id}/versions/7/restore" },
  { method: "DELETE", kind: "character", path: "/v1/characters/{id}", wrong: { query: "?end_sessions=maybe" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}" },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/state" },
  { method: "POST", kind: "session", path: "/v1/sessions/{id}/messages", body: { text: "x" }, wrong: { body: {} } },
  {
    method: "POST",
    kind: "session",
    path: "/v1/sessions/{id}/messages",
    body: { text: "x" },
    wrong: { body: { text: "x" }, headers: { "idempotency-key": "k".repeat(256) } }
  },
  {
    method: "POST",
    kind: "session",
    path: "/v1/sessions/{id}/messages",
    body: { text: "x" },
    wrong: { body: "{not json" }
  },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/events", wrong: { query: "?since=-1" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/events/stream", wrong: { query: "?since=x" } },
  {
    method: "GET",
    kind: "session",
    path: "/v1/sessions/{id}/events/stream",
    wrong: { headers: { "last-event-id": "x" } }
  },
  {
    method: "POST",
    kind: "session",
    path: "/v1/sessions/{id}/channels",
    body: { kind: "webhook", url: "https://example.com/" },
    wrong: { body: {} }
  },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/channels", wrong: { query: "?limit=0" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/delivery", wrong: { query: "?limit=0" } },
  {
    method: "POST",
    kind: "app",
    path: "/v1/apps/{id}/channels",
    body: { kind: "webhook", url: "https://example.com/" },
    wrong: { body: {} }
  },
  { method: "GET", kind: "app", path: "/v1/apps/{id}/channels", wrong: { query: "?limit=0" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/trace", wrong: { query: "?limit=0" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/trace", wrong: { query: "?cursor=x" } },
  { method: "GET", kind: "session", path: "/v1/sessions/{id}/runs", wrong: { query: "?limit=0" } }
]

const bytes = ({ status, body }: Answer) => {
  assert.strictEqual(status, 404)
  assert.isString(body.detail.request_id)
  return JSON.stringify(body).replace(body.detail.request_id, "...")
}

describe("a resource of another app", () => {
  it.each(routes)("is answered like one that does not exist: $method $path", async ({ method, kind, path, body }) => {
    const answers = await Promise.all(
      [foreign[kind], absent[kind]].map((id) => app.request(method, path.replace("{id}", id), body))
    )
    const [ofForeign, ofAbsent] = answers.map(bytes)
    assert.strictEqual(ofForeign, ofAbsent)
    assert.strictEqual(answers[0]?.body.detail.code, `${kind}_not_found`)
  })

  it.each(routes.filter((route) => route.wrong !== undefined))(
    "looks missing even to a request that is otherwise invalid: $method $path, $wrong",
    async ({ method, kind, path, wrong }) => {
      const answers = await Promise.all(
        [foreign[kind], absent[kind]].map((id) =>
          app.request(method, path.replace("{id}", id) + (wrong?.query ?? ""), wrong?.body, wrong?.headers)
        )
      )
      const [ofForeign, ofAbsent] = answers.map(bytes)
      assert.strictEqual(ofForeign, ofAbsent)
      assert.strictEqual(answers[0]?.body.detail.code, `${kind}_not_found`)
    }
  )

  it("cannot be used: POST /v1/sessions with a foreign character is 404 like with a missing one", async () => {
    const [ofForeign, ofAbsent] = await Promise.all(
      [foreign.character, absent.character].map((character_slug) =>
        app
          .post("/v1/sessions", { character_slug, external_user_ref: "u" })
          .then((answer) => bytes(answer).replaceAll(character_slug, "the one that was asked for"))
      )
    )
    assert.strictEqual(ofForeign, ofAbsent)
  })

  it("is in no list", async () => {
    const [characters, sessions] = await Promise.all([
      app.get("/v1/characters"),
      app.get(`/v1/sessions?character_slug=${foreign.character}`)
    ])
    assert.deepStrictEqual(characters.body.data.characters, [])
    assert.deepStrictEqual(sessions.body.data.sessions, [])
  })

  it("is unchanged after all of this", async () => {
    const { body } = await other.get(`/v1/characters/${foreign.character}`)
    assert.strictEqual(body.data.version, 1)
    assert.strictEqual(body.data.status, "active")
    assert.deepStrictEqual(await other.events(foreign.session), [])
  })

  it("does not block its slug for this app", async () => {
    const { status } = await app.post("/v1/characters", { slug: foreign.character, display_name: "Same name" })
    assert.strictEqual(status, 200)
    assert.strictEqual((await app.delete(`/v1/characters/${foreign.character}`)).body.data.status, "archived")
    assert.strictEqual((await other.get(`/v1/characters/${foreign.character}`)).body.data.status, "active")
  })
})

describe("an impossible id", () => {
  it.each(["ses_", "1", "ses_01ARZ3NDEKTSV4RRFFQ69G5FAU", "%00", "..%2F..", "ses_%F0%9F%92%A9", "x".repeat(2000)])(
    "matches no session: %s",
    async (id) => {
      for (const path of ["", "/state", "/events", "/events/stream", "/trace", "/runs"]) {
        const { status, body } = await app.get(`/v1/sessions/${id}${path}`)
        assert.strictEqual(status, 404, path)
        assert.strictEqual(body.detail.code, "session_not_found", path)
      }
    }
  )

  it.each(["%00", "a%00b", "UPPER", "x".repeat(2000), "%F0%9F%92%A9"])("matches no character: %s", async (slug) => {
    const path = `/v1/characters/${slug}`
    for (const answer of await Promise.all([
      app.get(path),
      app.patch(path, {}),
      app.patch(path, "{not json"),
      app.delete(path)
    ])) {
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.body.detail.code, "character_not_found")
    }
  })
})
