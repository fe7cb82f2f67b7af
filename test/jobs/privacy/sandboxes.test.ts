import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeTelegram, startFakeTelegram } from "#test/support/telegram/FakeTelegram.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

/** An expired key is always reported as expired. Costs and audited changes stay recorded. */
const KEPT = ["api_keys", "audit_log", "ledger"]

let server: TestServer
let telegram: FakeTelegram
beforeAll(async () => {
  telegram = await startFakeTelegram({ takesAnyWebhookUrl: true })
  server = await startTestServer({ env: { TELEGRAM_API_ROOT: telegram.url } })
})
afterAll(async () => {
  await server.close()
  await telegram.close()
})

const sandbox = async () => {
  const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
  return new TestApp(server.baseUrl, data.app_id, data.api_key)
}
const expire = (app: TestApp) =>
  server.database.sql`update api_keys set expires_at = now() - interval '1 hour' where app_id = ${app.appId}`
const clear = () => server.database.sql`select graphile_worker.add_job('sandboxes', '{}'::json)`
const tablesWith = async (app: TestApp) => {
  const { sql } = server.database
  const tables = await sql<
    Array<{ name: string }>
  >`select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'app_id'`
  assert.isAbove(tables.length, 20)
  const found = await Promise.all(
    tables.map(async ({ name }) =>
      (await sql`select 1 from ${sql(name)} where app_id = ${app.appId} limit 1`).length > 0 ? [name] : []
    )
  )
  return found.flat().sort()
}
const isGone = async (app: TestApp) =>
  (await server.database.sql`select 1 from apps where app_id = ${app.appId}`).length === 0

describe("a sandbox whose key has expired", () => {
  it("is deleted except for the key's hash and the ledger, and its bot can be attached elsewhere", async () => {
    const [app, other] = [await sandbox(), await sandbox()]
    const slug = await app.createCharacter({ greeting: "Hello." })
    const sessions = await Promise.all(Array.from({ length: 12 }, () => app.createSession({ character_slug: slug })))
    for (const session of sessions.slice(0, 2)) await app.converse(session, "What is for dinner?")
    await app.converse(sessions[2] ?? "", "i want to die")
    await server.database.sql`
      insert into utterance_vectors (app_id, session_id, model, cursor, vector)
      values (${app.appId}, ${sessions[0] ?? ""}, 'any', 1, 'vector')`
    await app.post("/v1/characters", { slug: "kept", display_name: "Kept" }, { "idempotency-key": "kept" })
    const bot = telegram.createBot()
    const attach = (by: TestApp) =>
      by.post("/v1/telegram/bots", { mode: "byo", token: bot.token, character_slug: "edda-brandvik" })
    assert.strictEqual((await attach(app)).status, 200)
    const person = telegram.createUser({ first_name: "Anna" })
    telegram.start(person, bot)
    await until(
      "a chat",
      async () => (await app.get("/v1/sessions?external_user_ref=tg:" + person.id)).body.data.sessions.length > 0
    )
    await app.get("/v1/delivery/events")
    // A demo key cannot create these, but any that exist are deleted as well.
    await server.database.sql`
        insert into eval_suites (app_id, suite_id, name, character_slug, cases, gates)
        values (${app.appId}, 'evs_1', 'suite', ${slug}, '[]', '[]')`
    await server.database.sql`
      insert into eval_runs (app_id, run_id, suite_id, character_slug, character_version, reply_mode, engine, repeats,
        seed, cases, gates, max_cost_micro_usd, finished_at)
      values (${app.appId}, 'evr_1', 'evs_1', ${slug}, 1, 'fast', 'offline', 1, 1, '[]', '[]', 0, now())`
    await server.database.sql`
        insert into eval_results (app_id, run_id, place, case_key, repeat) values (${app.appId}, 'evr_1', 1, 'one', 1)`
    const session = await other.createSession({ character_slug: "edda-brandvik" })

    await expire(app)
    await clear()
    await until("the sandbox to be gone", () => isGone(app))
    assert.deepStrictEqual(await tablesWith(app), KEPT)
    assert.isEmpty(
      await server.database.sql`
          select 1 from accounts where kind = 'demo'
          and not exists (select from apps where apps.account_id = accounts.account_id)`
    )
    // A key is cached for up to a second.
    await until("the key to be refused", async () => (await app.get("/v1/me")).body.detail?.code === "api_key_expired")
    assert.strictEqual((await other.get(`/v1/sessions/${session}`)).status, 200)
    assert.strictEqual((await attach(other)).status, 200)
  })

  it("is kept while one of its keys is valid, and no other app is ever affected", async () => {
    const [app, own] = [await sandbox(), await server.createApp()]
    await expire(own)
    await clear()
    const swept = await sandbox()
    await expire(swept)
    await clear()
    await until("a sandbox to be gone", () => isGone(swept))
    assert.isFalse(await isGone(app))
    assert.isFalse(await isGone(own))
  })

  it("is deleted completely by the next run if the first one was interrupted", async () => {
    const app = await sandbox()
    await Promise.all(Array.from({ length: 12 }, () => app.createSession({ character_slug: "edda-brandvik" })))
    await expire(app)
    const { sql } = server.database
    // Locks one of its last sessions, so that a run stops at that point.
    const last = (
      await sql`select session_id from sessions where app_id = ${app.appId} order by session_id desc limit 1`
    )[0]?.["session_id"]
    await sql`create table holds (app_id text, session_id text, foreign key (app_id,
      session_id) references sessions (app_id, session_id))`
    await sql`insert into holds values (${app.appId}, ${last})`
    await clear()
    await until(
      "ten to be gone",
      async () => (await sql`select 1 from sessions where app_id = ${app.appId}`).length === 2
    )
    assert.isFalse(await isGone(app))
    await sql`delete from holds`
    await clear()
    await until("the sandbox to be gone", () => isGone(app))
    assert.deepStrictEqual(await tablesWith(app), ["api_keys", "audit_log"])
  })
})
