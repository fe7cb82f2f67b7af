import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { cardV2 } from "#test/support/files/cards.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"

const ADMIN_TOKEN = "the-operator-of-this-test"
const IDS = { ses: newId("ses"), run: newId("run"), npc: newId("npc"), evr: newId("evr"), evd: newId("evd") }
const CASES = [{ key: "greets", turns: [{ user: "Hello" }], expect: [{ type: "contains", value: "soup" }] }]
const LONG_AGO = "2020-01-01T00:00:00Z"

let telegram: FakeTelegram
let server: TestServer
let app: TestApp
let account: TestApp
let operator: TestApp
let slug: string
let session: string
let suite: string
let imported: string
let bot: string
beforeAll(async () => {
  telegram = await startFakeTelegram()
  server = await startTestServer({ env: { ADMIN_TOKEN, TELEGRAM_API_ROOT: telegram.url } })
  app = await server.createApp()
  account = (await createAccountIn(server)).client
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
  slug = await app.createCharacter()
  session = await app.createSession({ character_slug: slug })
  suite = (await app.post("/v1/evals/suites", { name: "s", character_slug: slug, cases: CASES })).body.data.id
  imported = (await app.post("/v1/imports", { json: cardV2() })).body.data.id
  const { token } = telegram.createBot()
  bot = (await app.post("/v1/telegram/bots", { mode: "byo", token, character_slug: slug })).body.data.id
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

type Send = () => Promise<Answer>
const at = (path: string) => `/v1/sessions/${session}${path}`
const of = (path: string) => `/v1/characters/${slug}${path}`
const edge = (fields: object): Send => {
  const body = { from: "character", to: "user", relation: "knows", fact: "They met.", ...fields }
  return () => app.post(of("/graph/edges"), body)
}
const source = (fields: object): Send => {
  const body = { question: "When was it built?", purpose: "voice", sources: [fields] }
  return () => app.post(of("/research"), body)
}

/** What is asked, where the message begins, and how it ends. */
const REFUSALS: ReadonlyArray<readonly [name: string, send: Send, begins: string, ends: string]> = [
  [
    "a session with a character that does not exist",
    () => app.post("/v1/sessions", { external_user_ref: "ann", character_slug: "nobody" }),
    "body.character_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "the same by another name of the field",
    () => app.post("/v1/sessions", { external_user_ref: "ann", character: "nobody" }),
    "body.character: There is no such character",
    ', received "nobody"'
  ],
  [
    "a blank reference",
    () => app.post("/v1/sessions", { external_user_ref: "  ", character_slug: slug }),
    "body.external_user_ref: Must not be blank",
    ", received text of 2 characters"
  ],
  [
    "an unknown timezone",
    () => app.post("/v1/sessions", { external_user_ref: "ann", character_slug: slug, end_user: { timezone: "Mars" } }),
    "body.end_user.timezone: Invalid timezone",
    ', received "Mars"'
  ],
  [
    "a second name of the character",
    () => app.post("/v1/sessions", { external_user_ref: "ann", character_slug: slug, slug: "other" }),
    "body.slug: Must not be given together with character_slug",
    ', received "other"'
  ],
  [
    "a slug that is taken",
    () => app.post("/v1/characters", { ...profile(), slug }),
    "body.slug: The slug",
    "this app."
  ],
  [
    "another slug for a character",
    () => app.patch(of(""), { slug: "other" }),
    "body.slug: cannot be changed",
    ', received "other"'
  ],
  [
    "another version of a character",
    () => app.patch(of(""), { expected_version: 7, tagline: "x" }),
    "body.expected_version: The character is at version 1",
    ", received 7"
  ],
  [
    "another version of the app",
    () => app.patch(`/v1/apps/${app.appId}`, { expected_version: 7, name: "x" }),
    "body.expected_version: The app is at version",
    ", received 7"
  ],
  [
    "another version of the proactive policy",
    () => app.patch(`/v1/apps/${app.appId}/proactive-policy`, { expected_version: 7 }),
    "body.expected_version: The proactive policy is at version",
    ", received 7"
  ],
  [
    "a key of idempotency that another body has used",
    async () => {
      const headers = { "idempotency-key": "one-key" }
      await app.post(of("/npcs"), { name: "Nadia" }, headers)
      return app.post(of("/npcs"), { name: "Ben" }, headers)
    },
    "headers.idempotency-key: This Idempotency-Key was already used",
    ", received text of 7 characters"
  ],
  ["a cursor of a list", () => app.get("/v1/characters?cursor=abc."), "query.cursor: Must be", ', received "abc."'],
  ["a cursor of events", () => app.get(at("/events?since=abc")), "query.since: ", ', received "abc"'],
  [
    "a cursor of events that are no longer kept",
    async () => {
      const other = await app.createSession({ character_slug: slug })
      await app.converse(other, "Hello.")
      await server.database.sql`update session_logs set kept_after = 2 where session_id = ${other}`
      return app.get(`/v1/sessions/${other}/events?since=1`)
    },
    "query.since: Events up to cursor 2 are no longer kept",
    ', received "1"'
  ],
  [
    "a cursor beyond the end of a log",
    () => app.get(at("/events?since=9999")),
    "query.since: This log ends at cursor",
    ', received "9999"'
  ],
  ["a limit", () => app.get("/v1/characters?limit=1.50"), "query.limit: Must be a whole number", ', received "1.50"'],
  ["a limit that is given twice", () => app.get("/v1/characters?limit=1&limit=2"), "query.limit: ", "an array of 2"],
  [
    "a turn that does not exist",
    () => app.get(at(`/events?until=turn:${IDS.run}`)),
    "query.until: There is no such turn",
    ", received text of 35 characters"
  ],
  ["a turn by no run_ref", () => app.get(at("/events?until=soon")), "query.until: Must be turn:", ', received "soon"'],
  [
    "where a stream continues",
    () => app.get(at("/events/stream"), { "last-event-id": "abc" }),
    "headers.last-event-id: must be a cursor",
    ', received "abc"'
  ],
  ["a cursor of the feed", () => app.get("/v1/events?since=abc"), "query.since: must be a cursor", ', received "abc"'],
  [
    "where a stream of the feed continues",
    () => app.get("/v1/events/stream", { "last-event-id": "abc" }),
    "headers.last-event-id: must be a cursor",
    ', received "abc"'
  ],
  ["a place of the timeline", () => app.get(at("/timeline?before=abc")), "query.before: Must be", ', received "abc"'],
  [
    "an ack that no pull gave",
    () => app.request("PUT", "/v1/consumers/one", { ack: "abc" }),
    "body.ack: Must be the ack",
    ', received "abc"'
  ],
  [
    "a fault without the sandbox",
    () => app.post(at("/messages"), { text: "Hi" }, { "x-sandbox-fault": "stall" }),
    "headers.x-sandbox-fault: only demo keys",
    ', received "stall"'
  ],
  [
    "a message of the future in a history",
    () => app.post(at("/history"), { messages: [{ role: "user", text: "Hi", at: "2190-01-01T00:00:00Z" }] }),
    "body.messages[0].at: is in the future",
    ', received "2190-01-01T00:00:00Z"'
  ],
  [
    "a scheduled message in the past",
    () => app.post(at("/proactive/schedule"), { at: LONG_AGO, text: "Hi" }),
    "body.at: must not be in the past",
    `, received "${LONG_AGO}"`
  ],
  [
    "an evaluation that acts",
    () => app.post(at("/proactive/evaluate"), { dry_run: false }),
    "body.dry_run: only a demo key",
    ", received false"
  ],
  [
    "a picture of a character that does not exist",
    () => app.post("/v1/images", { character_slug: "nobody", kind: "avatar" }),
    "body.character_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "a picture for a session that does not exist",
    () => app.post("/v1/images", { character_slug: slug, kind: "avatar", session_id: IDS.ses }),
    "body.session_id: There is no such session",
    `, received "${IDS.ses}"`
  ],
  ["an edge from nobody", edge({ from: IDS.npc }), "body.from: There is no such NPC", `, received "${IDS.npc}"`],
  ["an edge to itself", edge({ to: "character" }), "body.to: Must be another node", ', received "character"'],
  [
    "an edge that ends before it begins",
    edge({ valid_at: "2021-01-01T00:00:00Z", invalid_at: LONG_AGO }),
    "body.invalid_at: Must be after valid_at",
    `, received "${LONG_AGO}"`
  ],
  [
    "an edge of a session that does not exist",
    edge({ session_id: IDS.ses }),
    "body.session_id: There is no such session",
    `, received "${IDS.ses}"`
  ],
  [
    "the graph of a session that does not exist",
    () => app.get(of(`/graph?session_id=${IDS.ses}`)),
    "query.session_id: There is no such session",
    `, received "${IDS.ses}"`
  ],
  [
    "evidence of research that does not exist",
    source({ kind: "evidence", evidence_id: IDS.evd }),
    "body.sources[0].evidence_id: Must be evidence",
    `, received "${IDS.evd}"`
  ],
  [
    "evidence from a session that does not exist",
    () => {
      const body = { kind: "session_turn", text: "It rains.", source: { session_id: IDS.ses } }
      return app.post(of("/evidence"), body)
    },
    "body.source.session_id: There is no such session",
    `, received "${IDS.ses}"`
  ],
  [
    "a suite for a character that does not exist",
    () => app.post("/v1/evals/suites", { name: "s", character_slug: "nobody", cases: CASES }),
    "body.character_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "a run with a version that does not exist",
    () => app.post(`/v1/evals/suites/${suite}/runs`, { engine: "offline", character_version: 9 }),
    "body.character_version: ",
    ", received 9"
  ],
  [
    "a run against a run that does not exist",
    () => app.post(`/v1/evals/suites/${suite}/runs`, { engine: "offline", baseline_run_id: IDS.evr }),
    "body.baseline_run_id: There is no such",
    `, received "${IDS.evr}"`
  ],
  [
    "an import for a character that does not exist",
    () => app.post("/v1/imports", { json: cardV2(), mode: "update", target_slug: "nobody" }),
    "body.target_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "an import with an impossible slug",
    () => app.post("/v1/imports", { json: cardV2(), target_slug: "No Slug" }),
    "body.target_slug: Invalid slug",
    ', received "No Slug"'
  ],
  [
    "a commit of another content",
    () => app.post(`/v1/imports/${imported}/commit`, { content_hash: "a".repeat(64) }),
    "body.content_hash: The import has changed",
    ", received text of 64 characters"
  ],
  [
    "a picture that is none",
    () => app.post(of("/assets"), { kind: "avatar", content_base64: "aGVsbG8=" }),
    "body.content_base64: ",
    ", received text of 8 characters"
  ],
  ["usage of no time", () => app.get("/v1/usage?from=2021-01-01&to=2020-01-01"), "query.from: ", '"2021-01-01"'],
  [
    "a channel at an address that is not public",
    () => app.post(at("/channels"), { kind: "webhook", url: "https://127.0.0.1/hook" }),
    "body.url: ",
    ", received text of 22 characters"
  ],
  [
    "a bot for a character that does not exist",
    () => app.patch(`/v1/telegram/bots/${bot}`, { character_slug: "nobody" }),
    "body.character_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "a batch with a character that does not exist",
    () => {
      const [first, second] = [telegram.createBot(), telegram.createBot()]
      const bots = [
        { token: first.token, character_slug: slug },
        { token: second.token, character_slug: "nobody" }
      ]
      return app.post("/v1/telegram/batches", { action: "attach", bots })
    },
    "body.bots[1].character_slug: There is no such character",
    ', received "nobody"'
  ],
  [
    "a managed bot of a server without a manager",
    () => app.post("/v1/telegram/bots", { mode: "managed", character_slug: slug }),
    "body.mode: This server has no manager bot",
    ', received "managed"'
  ],
  [
    "a key that ends in the past",
    async () => {
      const { app_id } = (await account.post("/v1/account/apps", { name: "app" })).body.data
      return account.post(`/v1/account/apps/${app_id}/api-keys`, { expires_at: LONG_AGO })
    },
    "body.expires_at: Must be in the future",
    `, received "${LONG_AGO}"`
  ],
  [
    "a hold of an app that does not exist",
    () => operator.post("/admin/holds", { app_id: "app_nobody" }),
    "body.app_id: There is no such app",
    ', received "app_nobody"'
  ],
  [
    "a batch that selects another number",
    () => operator.post("/admin/bots/batches", { action: "probe", filter: { all: true }, expected_bots: 9 }),
    "body.expected_bots: The filter selects 1 items now",
    ", received 9"
  ]
]

const profile = () => ({
  display_name: "Mara",
  voice_samples: [{ text: "Sit down, the soup is hot." }],
  example_dialogues: [{ user: "What is for dinner?", character: "Leek soup." }]
})

describe("an error about something in the request begins with its field, and ends with what was found there", () => {
  it.each(REFUSALS)("%s", async (_, send, begins, ends) => {
    const { status, body } = await send()
    assert.isAtLeast(status, 400, JSON.stringify(body))
    assert.isBelow(status, 500, JSON.stringify(body))
    const { message } = body.detail
    assert.strictEqual(message.slice(0, begins.length), begins, message)
    assert.strictEqual(message.slice(-ends.length), ends, message)
  })
})

describe("an error does not repeat", () => {
  const TOKEN = `123456:${"A1b2C3d4".repeat(4)}xyz`
  const SECRETS: ReadonlyArray<readonly [secret: string, send: (secret: string) => Promise<Answer>]> = [
    ["ck_fake.abcdef", (text) => app.post("/v1/sessions", { external_user_ref: "ann", character_slug: text })],
    ["lat_fake_abcdef", (text) => app.get(`/v1/characters?cursor=${text}.`)],
    ["op_fake_abcdef", (text) => operator.post("/admin/holds", { app_id: text })],
    ["sk-fake-abcdef", (text) => app.post(of("/graph/edges"), { from: text })],
    ["whsec_short", (text) => app.post(at("/channels"), { kind: "webhook", url: "https://example.com", secret: text })],
    ["https://ann:pw@h.test", (text) => app.post(at("/channels"), { kind: "webhook", url: text })],
    ["ann:pw@h.test", (text) => app.get(`/v1/events?since=${encodeURIComponent(text)}`)],
    [TOKEN, (text) => app.post("/v1/telegram/bots", { mode: "byo", token: `${text}!`, character_slug: slug })],
    [TOKEN, (text) => app.get(at(`/timeline?before=${encodeURIComponent(text.slice(0, 40))}`))],
    ["Xy9Xy9Xy9Xy9Xy9Xy9Xy9Xy9", (text) => app.patch(of(""), { slug: text })],
    ["my-own-key", (text) => repeated(text)],
    ["Bearer abc", (text) => app.get(at("/events/stream"), { "last-event-id": text })],
    ["naked", (text) => app.post("/v1/images", { character_slug: slug, kind: "scene", prompt: text })]
  ]
  const repeated = async (key: string) => {
    const headers = { "idempotency-key": key }
    await app.post(of("/npcs"), { name: "Carla" }, headers)
    return app.post(of("/npcs"), { name: "Dora" }, headers)
  }

  it.each(SECRETS)("%s, whatever field it was sent in", async (secret, send) => {
    const { status, body } = await send(secret)
    assert.isAtLeast(status, 400)
    assert.notInclude(JSON.stringify(body), secret.slice(0, 40))
  })
})
