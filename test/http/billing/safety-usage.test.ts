import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { REPORTED_KINDS } from "#pipeline/safety/reported.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { type Behaviour, type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let server: TestServer
let reply: Behaviour = { kind: "ok" }
beforeAll(async () => {
  model = await start({ otherwise: ({ question }) => (question === "reply" ? reply : { kind: "ok" }) })
  server = await startTestServer({ env: { OPENAI_BASE_URL: model.url } })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const NONE = Object.fromEntries(REPORTED_KINDS.map((kind) => [kind, 0]))
const read = async (by: TestApp, query = "") => (await by.get(`/v1/usage/safety${query}`)).body.data
const totalOf = async (by: TestApp) => (await read(by)).total
const explicit = (by: TestApp) => by.createCharacter({ safety: { ai_disclosure: "explicit" } })

describe("the counts for safety reports", () => {
  it("are empty at first, and do not include ordinary turns", async () => {
    const app = await server.createApp()
    await app.converse(await app.createSession(), "What is for dinner?")
    const year = new Date().getUTCFullYear()
    assert.deepStrictEqual(await read(app), { from: `${year}-01-01`, to: `${year + 1}-01-01`, total: NONE, months: [] })
    assert.isEmpty(await server.database.sql`select 1 from safety_counts where app_id = ${app.appId}`)
  })

  it("count each referral as one kind", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    for (const text of [
      "i want to die",
      "my dad isn't breathing",
      "my dad isn't breathing",
      "he's outside my door with a knife",
      "im going to kill my boss tomorrow"
    ])
      await app.converse(session, text)
    const total = { ...NONE, crisis_referrals: 1, emergency_referrals: 2, danger_referrals: 1, threat_referrals: 1 }
    const month = new Date().toISOString().slice(0, 7)
    assert.deepStrictEqual((await read(app)).total, total)
    assert.deepStrictEqual((await read(app)).months, [{ month, ...total }])
  })

  it("count a character's opening disclosure once, even before the answer to a crisis", async () => {
    const app = await server.createApp()
    const session = await app.createSession({ character_slug: await explicit(app) })
    await app.converse(session, "Hello!")
    await app.converse(session, "What is for dinner?")
    assert.deepStrictEqual(await totalOf(app), { ...NONE, ai_disclosures: 1 })
    await app.converse(await app.createSession({ character_slug: await explicit(app) }), "i want to die")
    assert.deepStrictEqual(await totalOf(app), { ...NONE, ai_disclosures: 2, crisis_referrals: 1 })
  })

  it("count the disclosure that replaces a denial, but no reply that passes", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    reply = { kind: "ok", bubbles: ["I'm as human as you are, silly."] }
    const answer = await app.converse(session, "Be honest, are you an AI?")
    reply = { kind: "ok" }
    assert.include(answer.payload["text"], "AI character")
    assert.deepStrictEqual(await totalOf(app), { ...NONE, ai_disclosures: 1 })
  })

  it("count a reminder to a minor", async () => {
    const app = await server.createApp()
    const session = await app.createSession({ end_user: { age_band: "minor" } })
    await app.converse(session, "Hello!")
    await server.database
      .sql`update sessions set created_at = created_at - interval '3 hours' where session_id = ${session}`
    await app.converse(session, "What is for dinner?")
    assert.deepStrictEqual(await totalOf(app), { ...NONE, break_reminders: 1 })
  })

  it("add up for sends that arrive together", async () => {
    const app = await server.createApp()
    const character_slug = await app.createCharacter()
    const sessions = await Promise.all(Array.from({ length: 12 }, () => app.createSession({ character_slug })))
    await Promise.all(sessions.map((session) => app.converse(session, "i want to die")))
    assert.deepStrictEqual(await totalOf(app), { ...NONE, crisis_referrals: 12 })
  })

  it("are read by days in UTC, without the last one, and grouped by month", async () => {
    const app = await server.createApp()
    await server.database.sql`
      insert into safety_counts (app_id, day, kind, count)
        values (${app.appId}, '2025-12-31', 'crisis_referrals', 1), (${app.appId}, '2026-01-01', 'crisis_referrals', 2),
        (${app.appId}, '2026-01-31', 'crisis_referrals', 4), (${app.appId}, '2026-01-31', 'break_reminders', 3),
          (${app.appId}, '2026-02-01', 'ai_disclosures', 8)`
    const query = "?from=2026-01-01&to=2026-02-02"
    assert.deepStrictEqual(await read(app, query), {
      from: "2026-01-01",
      to: "2026-02-02",
      total: { ...NONE, crisis_referrals: 6, break_reminders: 3, ai_disclosures: 8 },
      months: [
        { month: "2026-01", ...NONE, crisis_referrals: 6, break_reminders: 3 },
        { month: "2026-02", ...NONE, ai_disclosures: 8 }
      ]
    })
    assert.deepStrictEqual((await read(app, "?from=2026-01-01&to=2026-01-31")).total, { ...NONE, crisis_referrals: 2 })
    for (const wrong of [
      "from=yesterday",
      "from=2026-01-01T00:00:00Z",
      "from=0000-01-01",
      "from=2026-02-01&to=2026-02-01",
      "from=2026-02-30"
    ]) {
      assert.strictEqual((await app.get(`/v1/usage/safety?${wrong}`)).status, 422, wrong)
    }
  })

  it("remain when the person is erased", async () => {
    const app = await server.createApp()
    await app.converse(await app.createSession({ external_user_ref: "ann" }), "i want to die")
    const { erasure_id } = (await app.delete("/v1/end-users/ann")).body.data
    await until(
      "the erasure",
      async () => (await app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.deepStrictEqual(await totalOf(app), { ...NONE, crisis_referrals: 1 })
  })

  it("exclude evals", async () => {
    const app = await server.createApp()
    const character_slug = await explicit(app)
    const made = await app.post("/v1/evals/suites", {
      name: "hard",
      character_slug,
      cases: [{ key: "a", turns: [{ user: "i want to die", expect: [{ type: "event_type", value: "replied" }] }] }]
    })
    assert.strictEqual(made.status, 200, JSON.stringify(made.body))
    const suite = made.body.data
    const begun = await app.post(`/v1/evals/suites/${suite.id}/runs`, { engine: "offline" })
    assert.strictEqual(begun.status, 200, JSON.stringify(begun.body))
    const run = begun.body.data
    await until("the run", async () => (await app.get(`/v1/evals/runs/${run.id}`)).body.data.status === "completed")
    assert.deepStrictEqual(await totalOf(app), NONE)
    assert.isEmpty(await server.database.sql`select 1 from safety_counts where starts_with(app_id, 'evr_')`)
  })

  it("cover the app itself, one app of an account, or all of them", async () => {
    const account = await createAccountIn(server)
    const created = async () => {
      const { app_id } = (await account.client.post("/v1/account/apps", { name: "Shop" })).body.data
      const { api_key } = (await account.client.post(`/v1/account/apps/${app_id}/api-keys`, {})).body.data
      return new TestApp(server.baseUrl, app_id, api_key)
    }
    const [one, other] = [await created(), await created()]
    await one.converse(await one.createSession(), "i want to die")
    await other.converse(await other.createSession(), "i want to die")
    const of = async (path: string) => (await account.client.get(path)).body.data.total.crisis_referrals
    assert.strictEqual((await totalOf(one))["crisis_referrals"], 1)
    assert.strictEqual(await of(`/v1/account/apps/${one.appId}/usage/safety`), 1)
    assert.strictEqual(await of("/v1/account/usage/safety"), 2)
    const stranger = await createAccountIn(server)
    assert.strictEqual((await stranger.client.get(`/v1/account/apps/${one.appId}/usage/safety`)).status, 404)
  })
})

describe("the counts of a sandbox", () => {
  it("can be read with its demo key", async () => {
    const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
    const demo = new TestApp(server.baseUrl, data.app_id, data.api_key)
    await demo.converse(await demo.createSession(), "i want to die")
    assert.strictEqual((await totalOf(demo))["crisis_referrals"], 1)
  })
})
