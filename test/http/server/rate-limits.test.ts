import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAccountIn, type TestAccount } from "#test/support/accounts/createAccountIn.ts"
import { type Answer, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const QUOTA = 20

let server: TestServer
let other: TestServer
let account: TestAccount
beforeAll(async () => {
  const env = { MESSAGES_PER_MINUTE: String(QUOTA) }
  server = await startTestServer({ env })
  other = await startTestServer({ env, database: server.database })
  account = await createAccountIn(server)
})
afterAll(async () => {
  await other.close()
  await server.close()
})

const createApp = async () => {
  const appId: string = (await account.client.post("/v1/account/apps", { name: "Shop" })).body.data.app_id
  const { api_key } = (await account.client.post(`/v1/account/apps/${appId}/api-keys`, {})).body.data
  return { caps: `/v1/account/apps/${appId}/caps`, app: new TestApp(server.baseUrl, appId, api_key) }
}
const sendMany = (app: TestApp, session: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => app.send(session, "Hello")))
const accepted = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 200).length
const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const windowOver = (app: TestApp) =>
  server.database.sql`update rate_windows set ends_at = now() where subject = ${app.appId}`

describe("a response under a key", () => {
  it("shows the limit per minute and what is left: of requests, and on a send of messages", async () => {
    const { app } = await createApp()
    const begunAt = performance.now()
    const session = await app.createSession()
    const { headers } = await app.send(session, "Hello")
    assert.strictEqual(headers.get("ratelimit-policy"), `"requests";q=12000;w=60, "messages";q=${QUOTA};w=60`)
    const said =
      /^"requests";r=(\d+);t=(\d+), "messages";r=(\d+);t=(\d+)$/
        .exec(headers.get("ratelimit") ?? "")
        ?.slice(1)
        .map(Number) ?? []
    assert.deepStrictEqual([said[0], said[2]], [12_000 - 3, QUOTA - 1])
    // What a lease takes is counted twice, because a process rather ends a window too early.
    const least = Math.floor(60 - (2 * (performance.now() - begunAt)) / 1000)
    for (const seconds of [said[1], said[3]])
      assert.isTrue(seconds !== undefined && seconds >= least && seconds <= 60, `${seconds} of ${least}`)
    assert.match((await app.get("/v1/sessions/none")).headers.get("ratelimit") ?? "", /^"requests";r=11996;t=\d+$/)
  })

  it("counts nothing if no key is required", async () => {
    const { app } = await createApp()
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs/", "/v1/llms.txt"])
      assert.isNull((await app.get(path)).headers.get("ratelimit"), path)
  })
})

describe("a message over the limit", () => {
  it("is 429 rate_limited with the time to wait, and writes nothing; other apps are not affected", async () => {
    const [{ app }, { app: another }] = [await createApp(), await createApp()]
    const session = await app.createSession()
    const begunAt = performance.now()
    assert.strictEqual(accepted(await sendMany(app, session, QUOTA)), QUOTA)
    const refused = await app.send(session, "One more")
    assert.deepStrictEqual(shape(refused), [429, "rate_limited"])
    assert.match(refused.headers.get("ratelimit") ?? "", /"messages";r=0;t=\d+$/)
    assert.strictEqual(refused.headers.get("retry-after"), /t=(\d+)$/.exec(refused.headers.get("ratelimit") ?? "")?.[1])
    // What a lease takes is counted twice, because a process rather ends a window too early.
    const least = Math.floor(60 - (2 * (performance.now() - begunAt)) / 1000)
    assert.isAtLeast(Number(refused.headers.get("retry-after")), least)
    const { sql } = server.database
    assert.lengthOf(await sql`select 1 from turns where app_id = ${app.appId}`, QUOTA)
    assert.strictEqual((await another.send(await another.createSession(), "Hello")).status, 200)
    await windowOver(app)
    await until("the next window", async () => (await app.send(session, "And now?")).status === 200)
  })

  it("is still answered if its Idempotency-Key is known", async () => {
    const { app } = await createApp()
    const session = await app.createSession()
    const first = await app.send(session, "Hello", { "idempotency-key": "known" })
    await sendMany(app, session, QUOTA)
    const again = await app.send(session, "Hello", { "idempotency-key": "known" })
    assert.deepStrictEqual([again.status, again.body.data], [200, { ...first.body.data, idempotent_replay: true }])
    assert.deepStrictEqual(shape(await app.send(session, "Hello", { "idempotency-key": "new" })), [429, "rate_limited"])
    assert.deepStrictEqual(shape(await app.send(await app.createSession(), "Hello", { "idempotency-key": "known" })), [
      429,
      "rate_limited"
    ])
  })

  it("is determined by all processes together: exactly the limit is accepted in every window", async () => {
    const { app } = await createApp()
    const elsewhere = new TestApp(other.baseUrl, app.appId, app.key)
    const session = await app.createSession()
    const wave = async () =>
      accepted((await Promise.all([sendMany(app, session, 25), sendMany(elsewhere, session, 25)])).flat())
    assert.strictEqual(await wave(), QUOTA)
    assert.strictEqual(await wave(), 0)
    await windowOver(app)
    let sent = 0
    await until("the next window", async () => {
      sent += await wave()
      return sent > 0
    })
    assert.isAtMost(sent + (await wave()), QUOTA)
  })

  it("needs no separate write: a process leases the share of a second at a time", async () => {
    const { app, caps } = await createApp()
    await account.client.patch(caps, { rate_limits: { messages_per_minute: 600 } })
    const { sql } = server.database
    await sql`create sequence leases`
    await sql.unsafe(`
      create function count_lease() returns trigger language plpgsql as $$ begin if new.policy = 'messages' then \
perform nextval('leases'); end if; return new; end $$;
      create trigger count_lease before insert on rate_windows for each row execute function count_lease()`)
    const session = await app.createSession()
    for (let n = 0; n < 40; n++) assert.strictEqual((await app.send(session, "Hello")).status, 200)
    const [row] = await sql`select last_value::int as leases from leases`
    assert.isAtMost(row?.["leases"], 5)
    await sql`drop trigger count_lease on rate_windows`
  })
})

describe("the limit of an app", () => {
  it("is the server's, or its own through its caps, and is in the audit log", async () => {
    const { caps, app } = await createApp()
    const limits = async () => (await account.client.get(caps)).body.data.rate_limits
    assert.deepStrictEqual(await limits(), { messages_per_minute: QUOTA })
    const patched = (await account.client.patch(caps, { rate_limits: { messages_per_minute: 3 } })).body.data
    assert.deepInclude(patched, { rate_limits: { messages_per_minute: 3 }, used: null })
    assert.strictEqual(accepted(await sendMany(app, await app.createSession(), 10)), 3)
    assert.lengthOf(await server.database.sql`select 1 from allowances where app_id = ${app.appId}`, 0)
    const [entry] = (await account.client.get(`/v1/account/audit-log?app_id=${app.appId}`)).body.data.entries
    assert.deepInclude(entry, {
      action: "caps.updated",
      detail: {
        rate_limits: { messages_per_minute: 3 },
        before: { rate_limits: { messages_per_minute: null } }
      }
    })
    await account.client.patch(caps, { rate_limits: { messages_per_minute: null } })
    assert.deepStrictEqual(await limits(), { messages_per_minute: QUOTA })
    await account.client.patch(caps, { rate_limits: null })
    for (const messages_per_minute of [0, 1.5, 1_000_001, "many"])
      assert.strictEqual((await account.client.patch(caps, { rate_limits: { messages_per_minute } })).status, 422)
  })

  it("accepts messages at once when it was used up and is raised", async () => {
    const { caps, app } = await createApp()
    const session = await app.createSession()
    await account.client.patch(caps, { rate_limits: { messages_per_minute: 1 } })
    assert.strictEqual(accepted(await sendMany(app, session, 2)), 1)
    await account.client.patch(caps, { rate_limits: { messages_per_minute: 3 } })
    await until("the raised limit", async () => (await app.send(session, "Hello")).status === 200)
    assert.strictEqual(accepted(await sendMany(app, session, 10)), 1)
  })
})

describe("the limit on requests", () => {
  it("applies to an app on every route, and to an account separately", async () => {
    const small = await startTestServer({ env: { REQUESTS_PER_MINUTE: "4" } })
    const { client } = await createAccountIn(small)
    const app = await small.createApp()
    for (const [path, caller] of [
      ["/v1/me", app],
      ["/v1/account", client]
    ] as const) {
      const answers = [await Promise.all([1, 2, 3, 4].map(() => caller.get(path))), await caller.get(path)].flat()
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 429],
        path
      )
      assert.deepStrictEqual(
        shape(await caller.get("/v1/account")),
        caller === app ? [403, undefined] : [429, "rate_limited"]
      )
    }
    assert.deepStrictEqual(shape(await app.post("/v1/characters", {})), [429, "rate_limited"])
    assert.strictEqual((await app.get("/v1/nothing")).status, 404)
    assert.strictEqual((await app.get("/readyz")).status, 200)
    await small.close()
  })
})
