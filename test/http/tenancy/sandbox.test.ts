import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { createAccountIn } from "#test/support/createAccountIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { assertSince } from "#test/support/assertSince.ts"

const PATH = "/v1/demo/sandbox-key"

let server: TestServer
let anybody: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { TRUST_PROXY: "true" } })
  anybody = new TestApp(server.baseUrl, "", "")
})
afterAll(() => server.close())
// Each test starts as if nobody had got a key within the hour.
beforeEach(async () => {
  await server.database.sql`delete from rolling_limits`
})

const issue = (ip = "203.0.113.1", headers: Record<string, string> = {}) =>
  anybody.post(PATH, undefined, { "x-forwarded-for": ip, ...headers })
const sandbox = async () => {
  await server.database.sql`delete from rolling_limits`
  const { data } = (await issue()).body
  return new TestApp(server.baseUrl, data.app_id, data.api_key)
}
const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const tally = (answers: ReadonlyArray<Answer>) =>
  Object.fromEntries(
    [
      ...Map.groupBy(answers, (answer) =>
        shape(answer)
          .filter((part) => part !== undefined)
          .join(" ")
      )
    ].map(([key, group]) => [key, group.length])
  )
const fifty = Array.from({ length: 50 }, (_, n) => n)

describe("a demo key", () => {
  it("is given to anybody, with its own app, its permissions and the existing characters", async () => {
    const from = Date.now()
    const first = await issue()
    assert.strictEqual(first.status, 200)
    assert.strictEqual(first.headers.get("cache-control"), "no-store")
    const { data } = first.body
    assert.match(data.api_key, /^ck_[0-9A-Za-z]{46}$/)
    assertSince(data.expires_at, from, 86_400_000)
    assert.deepStrictEqual(data.limits, {
      characters: 5,
      sessions: 15,
      messages: 150,
      message_characters: 2000,
      credit_usd: 1
    })
    const second = (await issue()).body.data
    assert.notStrictEqual(second.app_id, data.app_id)
    const rows = await server.database
      .sql`select account_id from apps where app_id in (${data.app_id}, ${second.app_id})`
    assert.strictEqual(new Set(rows.map((row) => row["account_id"])).size, 2)
  })

  it("opens a session with an existing character and gets a reply at once", async () => {
    const { data } = (await issue()).body
    const app = new TestApp(server.baseUrl, data.app_id, data.api_key)
    assert.strictEqual((await app.get("/v1/me")).body.data.app_id, data.app_id)
    const session = await app.createSession({ character_slug: data.character_slugs[0] })
    assert.strictEqual((await app.converse(session, "What do you do all day?")).type, "message.created")
  })

  it("sees nothing of another sandbox", async () => {
    const [ours, theirs] = [await sandbox(), await sandbox()]
    const session = await theirs.createSession()
    assert.deepStrictEqual(shape(await ours.get(`/v1/sessions/${session}`)), [404, "session_not_found"])
    assert.deepStrictEqual((await ours.get("/v1/sessions")).body.data.sessions, [])
  })

  it("is stored only as a hash", async () => {
    const app = await sandbox()
    const [row] = await server.database.sql`select * from api_keys where app_id = ${app.appId}`
    assert.deepStrictEqual(row?.["secret_hash"], createHash("sha256").update(app.key).digest())
    assert.strictEqual(row?.["kind"], "demo")
    assert.notInclude(JSON.stringify(row), app.key.slice(11))
  })

  it("stays a demo key when it is rotated, and lasts no longer", async () => {
    const app = await sandbox()
    const [owner] = await server.database.sql`select account_id from apps where app_id = ${app.appId}`
    const { client } = await createAccountIn(server, { accountId: owner?.["account_id"] })
    const keys = `/v1/account/apps/${app.appId}/api-keys`
    const [old] = (await client.get(keys)).body.data.api_keys
    const { data } = (await client.post(`${keys}/${old.prefix}/rotate`, {})).body
    assert.strictEqual(data.expires_at, old.expires_at)
    const rotated = new TestApp(server.baseUrl, app.appId, data.api_key)
    assert.strictEqual((await rotated.get("/v1/me")).status, 200)
    assert.deepStrictEqual(shape(await rotated.get(`/v1/apps/${app.appId}/channels`)), [
      403,
      "demo_key_surface_disabled"
    ])
  })

  it("that has expired is 403 api_key_expired, everywhere and permanently", async () => {
    const app = await sandbox()
    await server.database.sql`update api_keys set expires_at = now() where app_id = ${app.appId}`
    const again = new TestApp(server.baseUrl, app.appId, app.key)
    for (const path of ["/v1/me", "/v1/sessions/none", "/v1/account", "/v1/images", `/v1/apps/${app.appId}/channels`])
      assert.deepStrictEqual(shape(await again.get(path)), [403, "api_key_expired"], path)
  })
})

describe("an address", () => {
  it("gets five keys in an hour, also under concurrency, and then the time to wait", async () => {
    assert.deepStrictEqual(tally(await Promise.all(fifty.map(() => issue()))), {
      "200": 5,
      "429 demo_sandbox_rate_limited": 45
    })
    const { status, headers, body } = await issue()
    assert.strictEqual(status, 429)
    assert.approximately(Number(headers.get("retry-after")), 3600, 60)
    assert.match(body.detail.fix, /in about (?:59|60) minutes\.$/)
    await server.database
      .sql`update rolling_limits set hits = array(select hit - interval '1 hour' from unnest(hits) hit)`
    assert.strictEqual((await issue()).status, 200)
  })

  it("is the one that the proxy has added, whatever the caller's headers", async () => {
    const answers = await Promise.all(fifty.map((n) => issue(`192.0.2.${n}, 203.0.113.1`)))
    assert.deepStrictEqual(tally(answers), { "200": 5, "429 demo_sandbox_rate_limited": 45 })
  })

  it("is the one that the outermost of several proxies has added", async () => {
    const behind = await startTestServer({ env: { TRUST_PROXY: "2", DEMO_KEYS_PER_HOUR: "1" } })
    const ask = (n: number, address: string) =>
      new TestApp(behind.baseUrl, "", "").post(PATH, undefined, {
        "x-forwarded-for": `192.0.2.${n}, ${address}, 10.0.0.1`
      })
    assert.strictEqual((await ask(1, "203.0.113.1")).status, 200)
    assert.deepStrictEqual(shape(await ask(2, "203.0.113.1")), [429, "demo_sandbox_rate_limited"])
    assert.strictEqual((await ask(3, "198.51.100.1")).status, 200)
    await behind.close()
  })

  it("does not get more with another user agent", async () => {
    const answers = await Promise.all(fifty.map((n) => issue("203.0.113.1", { "user-agent": `agent-${n}` })))
    assert.deepStrictEqual(tally(answers), { "200": 5, "429 demo_sandbox_rate_limited": 45 })
  })
})

describe("a fingerprint", () => {
  it("gets five keys in an hour from all addresses of its wider network", async () => {
    const answers = await Promise.all(fifty.map((n) => issue(`203.0.113.${n}`, { "user-agent": "one" })))
    assert.deepStrictEqual(tally(answers), { "200": 5, "429 demo_sandbox_rate_limited": 45 })
    const refused = await server.database.sql`select subject from rolling_limits where kind = 'demo_key_address'`
    assert.lengthOf(refused, 5)
  })

  it("differs in another network, in other languages, and in another program", async () => {
    for (const _ of "12345") await issue()
    assert.deepStrictEqual(shape(await issue("203.0.1.1")), [429, "demo_sandbox_rate_limited"])
    assert.strictEqual((await issue("198.51.100.1")).status, 200)
    assert.strictEqual((await issue("203.0.1.1", { "accept-language": "de" })).status, 200)
    assert.strictEqual((await issue("203.0.1.1", { "user-agent": "another" })).status, 200)
  })
})

describe("the sandbox", () => {
  it("is 503 demo_sandbox_disabled, not retryable, if the operator has disabled it", async () => {
    const closed = await startTestServer({ env: { DEMO_SANDBOX: "off" } })
    const answer = await new TestApp(closed.baseUrl, "", "").post(PATH, undefined)
    assert.deepStrictEqual(shape(answer), [503, "demo_sandbox_disabled"])
    assert.isNull(answer.headers.get("retry-after"))
    await closed.close()
  })

  it("counts the address of the connection if no proxy is trusted", async () => {
    const plain = await startTestServer({ env: { DEMO_KEYS_PER_HOUR: "1" } })
    const ask = (n: number) =>
      new TestApp(plain.baseUrl, "", "").post(PATH, undefined, {
        "x-forwarded-for": `${n}.0.0.1`,
        "user-agent": `agent-${n}`
      })
    assert.deepStrictEqual([(await ask(1)).status, ...shape(await ask(2))], [200, 429, "demo_sandbox_rate_limited"])
    await plain.close()
  })
})

describe("the quota of a demo key", () => {
  const character = (n: number) => ({ slug: `mara-${n}`, display_name: "Mara" })

  it("is exactly five characters, also under concurrency", async () => {
    const app = await sandbox()
    const answers = await Promise.all(fifty.map((n) => app.post("/v1/characters", character(n))))
    assert.deepStrictEqual(tally(answers), { "200": 5, "403 demo_quota_exceeded": 45 })
    const { body } = await app.get("/v1/characters")
    assert.lengthOf(body.data.characters, 7)
    await app.delete(
      `/v1/characters/${body.data.characters.find(({ slug }: { slug: string }) => slug.startsWith("mara")).slug}`
    )
    assert.deepStrictEqual(shape(await app.post("/v1/characters", character(99))), [403, "demo_quota_exceeded"])
  })

  it("is exactly fifteen sessions, and existing ones can be continued", async () => {
    const app = await sandbox()
    const open = (n: number, more: object = {}) =>
      app.post("/v1/sessions", { character_slug: "edda-brandvik", external_user_ref: `user-${n}`, ...more })
    assert.deepStrictEqual(tally(await Promise.all(fifty.map((n) => open(n)))), {
      "200": 15,
      "403 demo_quota_exceeded": 35
    })
    const [session] = (await app.get("/v1/sessions")).body.data.sessions
    const reused = await app.post("/v1/sessions", {
      character_slug: "edda-brandvik",
      external_user_ref: session.external_user_ref
    })
    assert.deepInclude(reused.body.data, { id: session.id, created: false })
    assert.deepStrictEqual(shape(await open(51)), [403, "demo_quota_exceeded"])
  })

  it("is exactly 150 messages", async () => {
    const app = await sandbox()
    const sessions = await Promise.all([1, 2, 3].map(() => app.createSession({ character_slug: "edda-brandvik" })))
    await server.database.sql`update allowances set messages = 125 where app_id = ${app.appId} and kind = 'app'`
    const answers = await Promise.all(
      fifty.map((n) => app.send(sessions[n % 3] ?? "", "Hello", { "idempotency-key": `key-${n}` }))
    )
    assert.deepStrictEqual(tally(answers), { "200": 25, "403 demo_quota_exceeded": 25 })
    const accepted = answers.findIndex(({ status }) => status === 200)
    const replay = await app.send(sessions[accepted % 3] ?? "", "Hello", { "idempotency-key": `key-${accepted}` })
    assert.isTrue(replay.body.data.idempotent_replay)
  })

  it("is 2,000 characters per message, counted as code points", async () => {
    const app = await sandbox()
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    assert.strictEqual((await app.send(session, "🦊".repeat(2000))).status, 200)
    for (const text of ["🦊".repeat(2001), "a".repeat(2001), "a".repeat(32_001), "🦊".repeat(40_000)]) {
      assert.deepStrictEqual(shape(await app.send(session, text)), [413, "demo_input_too_large"], String(text.length))
    }
    assert.deepStrictEqual(
      shape(await app.post(`/v1/sessions/${session}/messages`, { text: "a".repeat(40_000), reply_mode: "slow" })),
      [422, "validation_error"]
    )
    // A body that is too large to be read is the same for a demo key, and is unchanged on other routes and for any
    // other key.
    const beyond = "a".repeat(1_100_000)
    assert.deepStrictEqual(shape(await app.send(session, beyond)), [413, "demo_input_too_large"])
    assert.deepStrictEqual(shape(await app.post("/v1/characters", { slug: beyond })), [413, "payload_too_large"])
    assert.deepStrictEqual(shape(await (await server.createApp()).send(session, beyond)), [413, "payload_too_large"])
  })

  it("is its credit, whatever the month", async () => {
    const app = await sandbox()
    const session = await app.createSession({ character_slug: "edda-brandvik" })
    await app.converse(session, "Hello")
    const [row] = await server.database.sql`
        select total_used_micro_usd::int as used, total_limit_micro_usd::int as credit from allowances
        where app_id = ${app.appId} and kind = 'app'`
    const spent = Math.round((await app.get("/v1/usage")).body.data.cost_usd * 1e6)
    assert.deepStrictEqual({ ...row }, { used: spent, credit: 1_000_000 })
    await server.database.sql`
        update allowances set total_used_micro_usd = total_limit_micro_usd, day = day - 40 where app_id = ${app.appId}
        and kind = 'app'`
    const refused = await app.send(session, "Hello")
    assert.deepStrictEqual(shape(refused), [402, "budget_exceeded"])
    // Neither can be raised, and it does not reset.
    assert.include(refused.body.detail.fix, "your own app and runtime key")
  })

  it("is checked in the order of the contract", async () => {
    const app = await sandbox()
    const session = await app.createSession()
    const kept = { "idempotency-key": "kept" }
    const first = (await app.send(session, "Hello", kept)).body.data
    const { character_slug } = (await app.get(`/v1/sessions/${session}`)).body.data
    await app.delete(`/v1/characters/${character_slug}?end_sessions=true`)
    const { sql } = server.database
    await sql`update allowances set total_used_micro_usd = total_limit_micro_usd, messages = message_limit,
      characters = character_limit, sessions = session_limit where app_id = ${app.appId} and kind = 'app'`
    const long = "a".repeat(2001)
    const send = (text: string, path = session, headers = {}) => app.send(path, text, headers).then(shape)
    assert.deepStrictEqual(await send("", "ses_none"), [404, "session_not_found"])
    assert.deepStrictEqual(await send(""), [422, "validation_error"])
    assert.deepStrictEqual((await app.send(session, long, kept)).body.data, { ...first, idempotent_replay: true })
    assert.deepStrictEqual(await send(long), [403, "demo_quota_exceeded"])
    await sql`update allowances set messages = 0 where app_id = ${app.appId} and kind = 'app'`
    assert.deepStrictEqual(await send(long), [413, "demo_input_too_large"])
    assert.deepStrictEqual(await send("Hello"), [409, "session_exited"])
    await sql`update session_logs set status = 'active' where session_id = ${session}`
    assert.deepStrictEqual(await send("Hello"), [402, "budget_exceeded"])
    // For created resources, too, the quota comes before a conflict.
    assert.deepStrictEqual(shape(await app.post("/v1/characters", { slug: "edda-brandvik", display_name: "Edda" })), [
      403,
      "demo_quota_exceeded"
    ])
    assert.deepStrictEqual(shape(await app.post("/v1/sessions", { character_slug, external_user_ref: "u" })), [
      403,
      "demo_quota_exceeded"
    ])
    assert.deepStrictEqual(
      shape(await app.post("/v1/sessions", { character_slug: "nobody", external_user_ref: "u" })),
      [404, "character_not_found"]
    )
  })
})
