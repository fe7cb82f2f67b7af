import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const URL = "https://127.0.0.1:1/hook"

let server: TestServer
let app: TestApp
let other: TestApp
beforeAll(async () => {
  // No worker: lanes stay as the API leaves them.
  server = await startTestServer({ env: { ROLES: "api", OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  other = await server.createApp()
})
afterAll(() => server.close())

const greeted = async (by = app) =>
  by.createSession({ character_slug: await by.createCharacter({ greeting: "Hello." }) })
const create = (home: string, fields: object = {}, headers?: Record<string, string>, by = app) =>
  by.post(`${home}/channels`, { kind: "webhook", url: URL, ...fields }, headers)
const made = async (home: string, fields: object = {}, by = app) => {
  const { status, body } = await create(home, fields, undefined, by)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data
}
const ofSession = (session: string) => `/v1/sessions/${session}`
const lane = async (channel: string) => {
  const [row] = await server.database.sql`
      select position::int, head::int, status, generation, fence, owner, failures, redo::text from lanes
      where channel_id = ${channel}`
  return row
}
const row = async (channel: string) =>
  (await server.database.sql`select * from channels where channel_id = ${channel}`)[0]
const jobs = async (task: string) =>
  (
    await server.database.sql`
        select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = ${task}`
  ).map((job) => job["payload"])

describe.each(["session", "app"] as const)("the channels of a(n) %s", (kind) => {
  let by: TestApp
  let home: string
  let otherHome: string
  beforeAll(async () => {
    by = await server.createApp()
    home = kind === "app" ? `/v1/apps/${by.appId}` : ofSession(await greeted(by))
    otherHome = kind === "app" ? `/v1/apps/${other.appId}` : ofSession(await greeted(other))
  })

  it("are created, read, listed, changed and deleted", async () => {
    const created = await made(home, { events: ["message.created", "message.created"], typo: 1 }, by)
    const { secret, ignored_fields, ...channel } = created
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepStrictEqual(ignored_fields, ["typo"])
    assert.deepInclude(channel, {
      session_id: kind === "app" ? null : home.split("/").at(-1),
      kind: "webhook",
      url: URL,
      events: ["message.created"],
      status: "active",
      position: kind === "app" ? null : 1,
      consecutive_failures: 0
    })
    const path = `${home}/channels/${channel.id}`
    assert.deepStrictEqual((await by.get(path)).body.data, channel)
    assert.deepStrictEqual((await by.get(`${home}/channels`)).body.data, { channels: [channel], next_cursor: null })
    const changed = await by.patch(path, { url: `${URL}/2`, events: null })
    assert.deepStrictEqual(changed.body.data, { ...channel, url: `${URL}/…`, events: null })
    assert.deepStrictEqual((await by.get(path)).body.data, changed.body.data)
    assert.deepStrictEqual((await by.delete(path)).body.data, { id: channel.id, deleted: true })
    assert.deepStrictEqual((await by.get(`${home}/channels`)).body.data.channels, [])
    for (const answer of [
      await by.get(path),
      await by.patch(path, {}),
      await by.delete(path),
      await by.post(`${path}/resume`, {})
    ]) {
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.body.detail.code, "channel_not_found")
    }
  })

  it("are listed in pages", async () => {
    const ids = [(await made(home, {}, by)).id, (await made(home, {}, by)).id]
    const first = (await by.get(`${home}/channels?limit=1`)).body.data
    const second = (await by.get(`${home}/channels?limit=1&cursor=${first.next_cursor}`)).body.data
    assert.deepStrictEqual(
      [...first.channels, ...second.channels].map((channel: { id: string }) => channel.id),
      ids
    )
    assert.isNull(second.next_cursor)
    for (const id of ids) await by.delete(`${home}/channels/${id}`)
  })

  it("are limited to five, also for concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(home, {}, undefined, by)))
    assert.deepStrictEqual(answers.map((answer) => answer.status).sort(), [
      ...Array.from({ length: 5 }, () => 200),
      ...Array.from({ length: 15 }, () => 409)
    ])
    assert.strictEqual(answers.find((answer) => answer.status === 409)?.body.detail.code, "channel_limit_reached")
    const { channels } = (await by.get(`${home}/channels`)).body.data
    assert.lengthOf(channels, 5)
    await by.delete(`${home}/channels/${channels[0].id}`)
    assert.strictEqual((await create(home, {}, undefined, by)).status, 200)
  })

  it("of another app or another parent are 404 with a constant body", async () => {
    const mine = (await by.get(`${home}/channels`)).body.data.channels[0].id
    const theirs = (await made(otherHome, {}, other)).id
    const elsewhere = kind === "app" ? ofSession(await by.createSession()) : `/v1/apps/${by.appId}`
    const paths = [
      `${home}/channels/${theirs}`,
      `${home}/channels/${newId("chn")}`,
      `${home}/channels/x`,
      `${otherHome}/channels/${theirs}`,
      `${elsewhere}/channels/${mine}`
    ]
    const bodies = new Set<string>()
    for (const path of paths) {
      const answers = [
        await by.get(path),
        await by.patch(path, { events: null }),
        await by.patch(path, { events: 1 }),
        await by.delete(path),
        await by.post(`${path}/test`, {}),
        await by.post(`${path}/pause`, {}),
        await by.post(`${path}/resume`, {}),
        await by.post(`${path}/replay`, { since: 0 }),
        await by.post(`${path}/replay`, { since: -1 })
      ]
      for (const { status, body } of answers) {
        assert.strictEqual(status, 404, path)
        bodies.add(JSON.stringify(body).replace(body.detail.request_id, "..."))
      }
    }
    assert.lengthOf([...bodies], 1)
    for (const answer of [
      await create(otherHome, {}, undefined, by),
      await create(otherHome, { url: 1 }, undefined, by),
      await by.get(`${otherHome}/channels`)
    ]) {
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(answer.body.detail.code, `${kind}_not_found`)
    }
    assert.strictEqual((await other.get(`${otherHome}/channels/${theirs}`)).body.data.status, "active")
  })

  it("can be paused, resumed and replayed; a repeated Idempotency-Key has no further effect", async () => {
    const { id } = (await by.get(`${home}/channels`)).body.data.channels[0]
    const path = `${home}/channels/${id}`
    const paused = await by.post(`${path}/pause`, { until: "tomorrow" })
    assert.deepInclude(paused.body.data, { status: "paused", ignored_fields: ["until"] })
    assert.strictEqual((await by.post(`${path}/resume`, {})).body.data.status, "active")
    const before = (await row(id))?.["generation"]
    const headers = { "idempotency-key": randomUUID() }
    assert.strictEqual((await by.post(`${path}/replay`, { since: 0 }, headers)).body.data.status, "active")
    assert.strictEqual((await by.post(`${path}/replay`, { since: 0 }, headers)).body.data.idempotent_replay, true)
    assert.strictEqual((await row(id))?.["generation"], before + 1)
    for (const since of [-1, 1.5, "0", null, 2 ** 53])
      assert.strictEqual((await by.post(`${path}/replay`, { since })).status, 422, String(since))
  })
})

const KEY = Buffer.alloc(32, 0xfb)

describe("the body that creates a channel", () => {
  it.each([
    ["a plain http URL", { url: "http://example.com/hook" }, "channel_url_rejected"],
    ["a private address", { url: "https://10.0.0.1/hook" }, "channel_url_rejected"],
    ["this machine, by an address that is not allowed", { url: "https://[::1]/hook" }, "channel_url_rejected"],
    ["a URL with a password", { url: "https://u:p@example.com/" }, "channel_url_rejected"],
    ["no URL", { url: "nonsense" }, "channel_url_rejected"],
    ["too long a URL", { url: `https://example.com/${"x".repeat(2048)}` }, "validation_error"],
    ["another kind", { kind: "carrier-pigeon" }, "validation_error"],
    ["an unknown event type", { events: ["message.create"] }, "validation_error"],
    ["no event type at all", { events: [] }, "validation_error"],
    ["a secret that is too short", { secret: "x".repeat(15) }, "validation_error"],
    ["a secret that is too long", { secret: "x".repeat(257) }, "validation_error"],
    [
      "base64 without its padding",
      { secret: `whsec_${KEY.toString("base64").replaceAll("=", "")}` },
      "validation_error"
    ],
    ["URL-safe base64", { secret: `whsec_${KEY.toString("base64url")}=` }, "validation_error"],
    ["no base64 after whsec_", { secret: "whsec_of my own making" }, "validation_error"],
    ["a line break after the secret", { secret: `whsec_${KEY.toString("base64")}\n` }, "validation_error"],
    ["a line break within a secret of words", { secret: "my own secret\nof two lines" }, "validation_error"],
    ["base64 without whsec_", { secret: KEY.toString("base64") }, "validation_error"],
    ["another beginning", { from: "end" }, "validation_error"]
  ])("is refused: %s", async (_, fields, code) => {
    const home = ofSession(await app.createSession())
    const { status, body } = await create(home, fields)
    assert.strictEqual(status, 422)
    assert.strictEqual(body.detail.code, code)
    const channel = await made(home)
    if ("kind" in fields || "from" in fields) return
    const patched = await app.patch(`${home}/channels/${channel.id}`, fields)
    assert.strictEqual(patched.status, 422)
    assert.strictEqual(patched.body.detail.code, code)
  })

  it("names OUTBOUND_ALLOW in the fix for an address that the operator could allow", async () => {
    const { body } = await create(ofSession(await app.createSession()), { url: "http://10.0.0.1/hook" })
    assert.include(body.detail.fix, "OUTBOUND_ALLOW")
  })

  it("is accepted for an exited session: its log can still be pushed", async () => {
    const slug = await app.createCharacter()
    const session = await app.createSession({ character_slug: slug })
    await app.delete(`/v1/characters/${slug}?end_sessions=true`)
    const channel = await made(ofSession(session), { from: "start" })
    assert.strictEqual(channel.position, 0)
    assert.deepInclude(await lane(channel.id), { head: 1, status: "ready" })
  })
})

describe("the secret of a channel", () => {
  const tables = async () => {
    const names = await server.database.sql`
        select table_schema, table_name from information_schema.tables where table_type = 'BASE TABLE'
        and table_schema in ('public', 'graphile_worker')`
    const texts = await Promise.all(
      names.map(({ table_schema, table_name }) =>
        server.database.sql.unsafe(
          `select coalesce(string_agg(t::text, ' '), '') as text from "${table_schema}"."${table_name}" t`
        )
      )
    )
    return texts.map(([row]) => row?.["text"]).join("\n")
  }
  /** In all forms that it could have in a row. */
  const spellings = (secret: string) => [
    secret,
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("base64"),
    ...(secret.startsWith("whsec_") ? [secret.slice(6), Buffer.from(secret.slice(6), "base64").toString("hex")] : [])
  ]

  it("is shown when it is set and never again, and is in no table in plain text", async () => {
    const home = ofSession(await app.createSession())
    const given = `my-own-secret-${randomBytes(8).toString("hex")}`
    const channel = await made(home, { secret: given }, app)
    assert.strictEqual(channel.secret, given)
    const path = `${home}/channels/${channel.id}`
    const rotated = (await app.patch(path, { secret: "rotate" })).body.data.secret
    assert.match(rotated, /^whsec_/)
    const own = `whsec_${randomBytes(24).toString("base64")}`
    assert.strictEqual((await app.patch(path, { secret: own })).body.data.secret, own)
    for (const answer of [
      await app.get(path),
      await app.get(`${home}/channels`),
      await app.patch(path, { events: null }),
      await app.post(`${path}/pause`, {})
    ]) {
      assert.strictEqual(answer.status, 200)
      for (const secret of [given, rotated, own]) assert.notInclude(JSON.stringify(answer.body), secret)
    }
    const everything = await tables()
    assert.include(everything, channel.id)
    for (const secret of [given, rotated, own].flatMap(spellings)) assert.notInclude(everything, secret)
  })

  it("is omitted when a create is replayed under its Idempotency-Key", async () => {
    const home = ofSession(await app.createSession())
    const headers = { "idempotency-key": randomUUID() }
    const first = await create(home, {}, headers)
    const second = await create(home, {}, headers)
    const { secret, ...rest } = first.body.data
    assert.match(secret, /^whsec_/)
    assert.deepStrictEqual(second.body.data, { ...rest, idempotent_replay: true })
    assert.lengthOf((await app.get(`${home}/channels`)).body.data.channels, 1)
    assert.notInclude(await tables(), secret)
  })

  it("keeps signing after a rotation for the requested time, a day by default, and not at all with 0", async () => {
    const home = ofSession(await app.createSession())
    const { id } = await made(home)
    const until = async (body: object) => {
      assert.strictEqual((await app.patch(`${home}/channels/${id}`, body)).status, 200)
      const [found] = await server.database.sql`
          select previous_secret is not null as kept, extract(epoch
          from previous_secret_until - now())::float8 as seconds, version from channels where channel_id = ${id}`
      return found
    }
    const first = await until({ secret: "rotate" })
    assert.isTrue(first?.["kept"])
    assert.closeTo(first?.["seconds"], 86_400, 60)
    const second = await until({ secret: "rotate", previous_secret_ttl_seconds: 100 })
    assert.closeTo(second?.["seconds"], 100, 60)
    assert.strictEqual(second?.["version"], first?.["version"] + 1)
    const third = await until({ secret: "rotate", previous_secret_ttl_seconds: 0 })
    assert.deepInclude(third, { kept: false, seconds: null })
    for (const previous_secret_ttl_seconds of [-1, 86_401, 1.5]) {
      assert.strictEqual(
        (await app.patch(`${home}/channels/${id}`, { secret: "rotate", previous_secret_ttl_seconds })).status,
        422
      )
    }
  })
})

describe("the lane of a session's channel", () => {
  it("starts at the end of the log, or at its start", async () => {
    const home = ofSession(await greeted())
    const [now, start] = [await made(home), await made(home, { from: "start" })]
    assert.deepInclude(await lane(now.id), { position: 1, head: 1, status: "idle" })
    assert.deepInclude(await lane(start.id), { position: 0, head: 1, status: "ready" })
    assert.isNull((await row(start.id))?.["aligned_to"])
    assert.isNotEmpty(await jobs("deliver"))
  })

  it("gets a new fence from a pause, so that an attempt in flight writes nothing, until it resumes", async () => {
    const session = await greeted()
    const { id } = await made(ofSession(session), { from: "start" })
    const path = `${ofSession(session)}/channels/${id}`
    await server.database
      .sql`update lanes set owner = 'wrk_gone', fence = 7, sending = 1, sending_at = now() where channel_id = ${id}`
    await app.post(`${path}/pause`, {})
    assert.deepInclude(await lane(id), { position: 0, owner: null, fence: 8 })
    await server.database.sql`update lanes set status = 'parked', failures = 3 where channel_id = ${id}`
    await server.database
      .sql`update channels set failing_since = now(), consecutive_failures = 3 where channel_id = ${id}`
    const { body } = await app.post(`${path}/resume`, {})
    assert.deepInclude(body.data, { status: "active", position: 0, consecutive_failures: 0 })
    assert.deepInclude(await lane(id), { position: 0, status: "ready", generation: 2, fence: 9, failures: 0 })
    assert.deepInclude(await row(id), { failing_since: null, rewind_to: null })
  })

  it("is set back by a replay, also on a disabled channel, and never past its head", async () => {
    const session = await greeted()
    const { id } = await made(ofSession(session))
    const path = `${ofSession(session)}/channels/${id}`
    await server.database.sql`update channels set status = 'disabled' where channel_id = ${id}`
    assert.deepInclude((await app.post(`${path}/replay`, { since: 0 })).body.data, { status: "active", position: 0 })
    assert.deepInclude(await lane(id), { position: 0, status: "ready", generation: 2, fence: 1 })
    assert.strictEqual((await app.post(`${path}/replay`, { since: 99 })).body.data.position, 1)
    assert.deepInclude(await lane(id), { position: 1, head: 1, status: "idle" })
    // A resume does not repeat the earlier replay.
    await app.post(`${path}/resume`, {})
    assert.deepInclude(await lane(id), { position: 1, status: "idle" })
  })

  it("is deleted with its channel", async () => {
    const home = ofSession(await greeted())
    const { id } = await made(home)
    await app.delete(`${home}/channels/${id}`)
    assert.isUndefined(await lane(id))
    assert.isUndefined(await row(id))
  })
})

describe("the address of a channel", () => {
  const CREDENTIAL = "XXcredXXentialXX"
  const tables = async () => {
    const names = await server.database.sql`
        select table_schema, table_name from information_schema.tables where table_type = 'BASE TABLE'
        and table_schema in ('public', 'graphile_worker')`
    const texts = await Promise.all(
      names.map(({ table_schema, table_name }) =>
        server.database.sql.unsafe(
          `select coalesce(string_agg(t::text, ' '), '') as text from "${table_schema}"."${table_name}" t`
        )
      )
    )
    return texts.map(([row]) => row?.["text"]).join("\n")
  }
  const SPELLINGS = [
    CREDENTIAL,
    Buffer.from(CREDENTIAL).toString("hex"),
    Buffer.from(CREDENTIAL).toString("base64").slice(0, -4)
  ]

  it.each([
    [`/services/T000/B000/${CREDENTIAL}`, "/services/…"],
    [`/hook?token=${CREDENTIAL}`, "/hook?…"],
    [`/${CREDENTIAL}`, "/…"],
    [`/api/v1/${CREDENTIAL}/?${CREDENTIAL}`, "/api/…?…"],
    [`/?${CREDENTIAL}#${CREDENTIAL}`, "/?…"],
    [`/b3f1c2d4-0000-4000-8000-c0ffee${CREDENTIAL}/in`, "/…"]
  ])("is shown masked and stored encrypted, whatever the request: %s", async (path, shown) => {
    const origin = "https://127.0.0.1:1"
    const home = ofSession(await app.createSession())
    const key = { "idempotency-key": randomUUID() }
    const answers = [await create(home, { url: origin + path }, key), await create(home, { url: origin + path }, key)]
    const id = String(answers[0]?.body.data.id)
    const at = `${home}/channels/${id}`
    answers.push(await app.get(at), await app.patch(at, { events: null }), await app.patch(at, { url: origin + path }))
    for (const action of ["pause", "resume", "replay"]) answers.push(await app.post(`${at}/${action}`, { since: 0 }))
    for (const { body } of answers) assert.strictEqual(body.data.url, origin + shown)
    answers.push(
      await app.get(`${home}/channels`),
      await app.post(`${at}/test`, undefined),
      await app.get(`${home}/delivery`)
    )
    answers.push(await app.get("/v1/health"), await app.get("/v1/delivery/events"), await app.get(`${home}/timeline`))
    for (const { status, body } of answers) {
      assert.strictEqual(status, 200)
      assert.notInclude(JSON.stringify(body), CREDENTIAL)
    }
    const stored = await tables()
    for (const spelling of SPELLINGS) assert.notInclude(stored, spelling)
  })

  it("is not in any error that refuses it", async () => {
    const home = ofSession(await app.createSession())
    for (const url of [
      `http://example.com/${CREDENTIAL}`,
      `https://10.0.0.1/${CREDENTIAL}`,
      `https://${CREDENTIAL}:x@example.com/`,
      `${CREDENTIAL}`,
      `https://example.com/${CREDENTIAL.repeat(200)}`
    ]) {
      const { status, body } = await create(home, { url })
      assert.strictEqual(status, 422)
      assert.notInclude(JSON.stringify(body), CREDENTIAL)
    }
  })

  it("stored in plain text by an earlier version is encrypted at process start, and readable before", async () => {
    const home = ofSession(await app.createSession())
    const { id } = await made(home)
    await server.database.sql`
        update channels
        set url = null, target = ${server.database.sql.json({ url: `https://127.0.0.1:1/services/${CREDENTIAL}` })}
        where channel_id = ${id}`
    assert.strictEqual((await app.get(`${home}/channels/${id}`)).body.data.url, "https://127.0.0.1:1/services/…")
    const next = await startTestServer({ database: server.database, env: { ROLES: "api" } })
    await next.close()
    for (const spelling of SPELLINGS) assert.notInclude(await tables(), spelling)
    assert.strictEqual((await app.get(`${home}/channels/${id}`)).body.data.url, "https://127.0.0.1:1/services/…")
    assert.deepInclude((await app.post(`${home}/channels/${id}/test`, undefined)).body.data, { outcome: "not_sent" })
  })
})
