import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { until } from "#test/support/until.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"

let isDown = false
let model: FakeModel
let server: TestServer
let operator: TestApp
beforeAll(async () => {
  model = await start({ otherwise: () => (isDown ? { kind: "server_error" } : { kind: "ok" }) })
  server = await startTestServer({
    env: { ADMIN_TOKEN, OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", OUTBOUND_ALLOW: "127.0.0.1" }
  })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const sql = () => server.database.sql
const attention = async (): Promise<ReadonlyArray<Record<string, any>>> =>
  (await operator.get("/admin/overview")).body.data.attention
const problems = async (): Promise<ReadonlyArray<Record<string, any>>> =>
  (await operator.get("/admin/health")).body.data.problems
const status = async (): Promise<string> =>
  (await runTroupe({ TROUPE_URL: server.baseUrl, TROUPE_OPERATOR_TOKEN: ADMIN_TOKEN }, ["status"])).stdout
/** What the first screen says, without its markup. */
const firstScreen = async (): Promise<string> =>
  String((await operator.get("/console")).body)
    .replace(/^.*<main/s, "<main")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")

/** An app whose webhook has been dead for two days and one more for each of `older`. Conversations wait for it. */
const createDeadWebhook = async (name: string, waiting: number, older = 0): Promise<string> => {
  const app = await server.createApp()
  await sql()`update apps set name = ${name} where app_id = ${app.appId}`
  const { body } = await app.post(`/v1/apps/${app.appId}/channels`, {
    kind: "webhook",
    url: "http://127.0.0.1:1/hook"
  })
  const id: string = body.data.id
  await sql()`
    update channels set status = 'failing', failing_since = now() - ${2 + older}::int * interval '1 day',
      consecutive_failures = 40, not_before = now() + interval '1 hour'
    where channel_id = ${id}`
  await sql()`
    insert into lanes (app_id, session_id, channel_id, generation, position, head, status, due_at)
    select ${app.appId}, 'ses_' || n, ${id}, 1, 0, 1, 'ready', now() - interval '1 hour'
    from generate_series(1, ${waiting}::int) n`
  return id
}

describe("what is wrong", () => {
  it("comes in the order of how many conversations it reaches, on every surface and by name", async () => {
    await createDeadWebhook("Quiet Harbour", 1, 5)
    await createDeadWebhook("Velvet Fox", 3)
    const rows = (await attention()).filter(({ kind }) => kind === "webhook_failing")
    assert.deepStrictEqual(
      rows.map(({ severity, reach, app_name, names }) => [severity, reach, app_name, names]),
      [
        ["critical", 3, "Velvet Fox", ["http://127.0.0.1:1/hook"]],
        ["critical", 1, "Quiet Harbour", ["http://127.0.0.1:1/hook"]]
      ]
    )
    const found = (await problems()).filter(({ kind }) => kind === "webhook_failing")
    assert.deepStrictEqual(
      found.map(({ reach }) => reach),
      [3, 1]
    )
    assert.match(
      await firstScreen(),
      /A webhook is failing .*?of Velvet Fox reaches 3 conversations.*?of Quiet Harbour reaches 1 conversation /
    )
    const lines = await status()
    assert.match(
      lines,
      /reaches 3 conversations {2}Velvet Fox: .*\n(?:.*\n)+?.*reaches 1 conversation {2}Quiet Harbour: /
    )
    assert.notMatch(lines, /\b(?:app|chn)_[0-9A-Z]{26}\b.*\n.*The endpoint/)
  })

  it("adds up what equal problems of an app reach", async () => {
    const app = await server.createApp()
    const slug = await app.createCharacter()
    for (const id of ["bot_1", "bot_2"]) {
      await sql()`insert into telegram_bots (app_id, channel_id, mode, character_slug, status, reason)
        values (${app.appId}, ${id}, 'byo', ${slug}, 'revoked', 'token_rejected')`
      await sql()`
        insert into telegram_chats (app_id, channel_id, chat_id, kind, external_user_ref)
        select ${app.appId}, ${id}, n, 'private', 'person' || n from generate_series(1, 4) n`
    }
    const [first, second] = (await attention()).filter(({ severity }) => severity === "critical")
    assert.deepInclude(first, { kind: "bot_revoked", app_id: app.appId, problems: 2, reach: 8 })
    assert.deepInclude(second, { kind: "webhook_failing", reach: 3 })
    assert.deepStrictEqual(
      (await problems()).slice(0, 2).map(({ kind, reach }) => [kind, reach]),
      [
        ["bot_revoked", 4],
        ["bot_revoked", 4]
      ]
    )
  })

  it("reaches those who have talked to an app within a week, if its budget is spent", async () => {
    const app = await server.createApp({ budgetUsd: 10 })
    const sessions = [await app.createSession(), await app.createSession()]
    for (const session of sessions) await app.converse(session, "What is for dinner?")
    await app.createSession()
    await sql()`
      update allowances set day = utc_today(), month_used_micro_usd = 10000000
      where app_id = ${app.appId} and kind = 'app'`
    const spent = (await problems()).find(({ kind }) => kind === "budget_spent")
    assert.deepInclude(spent, { severity: "critical", reach: 2 })
  })

  it("has a spent budget if what is left does not cover a message, until it is raised", async () => {
    const app = await server.createApp({ budgetUsd: 0.000_002 })
    const session = await app.createSession()
    const spent = async () =>
      (await problems()).find(({ kind, subject }) => kind === "budget_spent" && subject.app_id === app.appId)
    assert.isUndefined(await spent())
    assert.strictEqual((await app.send(session, "What is for dinner?")).status, 402)
    const problem = await until("the problem", spent)
    assert.deepInclude(problem, {
      severity: "critical",
      cause: "What is left of the app's budget for the month does not cover a message: messages get 402"
    })
    assert.deepInclude(problem.evidence, { period: "month", used_usd: 0, limit_usd: 0.000_002, percent: 0 })
    await operator.patch(`/admin/apps/${app.appId}/caps`, { monthly_budget_usd: 10 })
    assert.isUndefined(await spent())
    assert.strictEqual((await app.send(session, "What is for dinner?")).status, 200)
  })
})

describe("a model that fails every reply", () => {
  it("is critical within a minute and first, with what was observed, whatever webhook is dead", async () => {
    const app = await server.createApp()
    const sessions = await Promise.all([app.createSession(), app.createSession(), app.createSession()])
    const talk = (text: string) => Promise.all(sessions.map((session) => app.converse(session, text)))
    for (const { type } of await talk("What is for dinner?")) assert.strictEqual(type, "message.created")
    // The last success was more than a minute ago.
    await sql()`update turn_stages set started_at = started_at - interval '2 minutes' where stage = 'generation'`
    isDown = true
    for (const { type } of await talk("Are you there?")) assert.strictEqual(type, "message.failed")
    await sql()`
      update turn_stages set started_at = now() - interval '10 seconds', latency_ms = 1
      where stage = 'generation' and status <> 'ok'`

    const cause = "0 of 3 replies in the last minute: the provider answers 500"
    const [problem] = await problems()
    assert.deepInclude(problem, { kind: "model_failing", severity: "critical", reach: null, count: 3, cause })
    assert.deepInclude(problem?.["evidence"], { replies_1m: 3, failed_1m: 3, last_error_code: "http_500" })
    assert.isString(problem?.["evidence"].last_ok_at)
    const [row, next] = await attention()
    assert.deepInclude(row, { kind: "model_failing", severity: "critical", reach: null, cause, names: [] })
    assert.strictEqual(next?.["severity"], "critical")
    assert.include(row?.["next_step"].description, "status page")
    assert.match(
      await firstScreen(),
      new RegExp(`Needs attention Critical The model is failing ×3 reaches everybody began .*? ${cause}\\.`)
    )
    const [, , ...lines] = (await status()).split("\n")
    assert.match(lines[0] ?? "", /^critical model_failing for \d+ (?:s|min), reaches everybody$/)
    assert.include(lines[1], cause)
  })

  it("is critical as well where people write less often than twice a minute", async () => {
    const failures = await sql()`
      update turn_stages t set started_at = now() - f.n * interval '70 seconds'
      from (
        select app_id, session_id, turn_index, dense_rank() over (order by session_id) as n from turn_stages
        where stage = 'generation' and status <> 'ok' group by 1, 2, 3
      ) f
      where (t.app_id, t.session_id, t.turn_index) = (f.app_id, f.session_id, f.turn_index)
        and t.stage = 'generation' and t.status <> 'ok'`
    assert.isAbove(failures.count, 0)
    // The last success was longer ago, but within the five minutes.
    await sql()`
      update turn_stages set started_at = now() - interval '4 minutes' where stage = 'generation' and status = 'ok'`
    const [problem] = await problems()
    assert.deepInclude(problem, {
      kind: "model_failing",
      severity: "critical",
      reach: null,
      cause: "0 of 3 replies in the last 4 minutes: the provider answers 500"
    })
  })

  it("is a warning once no reply has failed for two minutes, and says how many did", async () => {
    await sql()`
      update turn_stages set started_at = now() - interval '150 seconds'
      where stage = 'generation' and status <> 'ok'`
    const problem = (await problems()).find(({ kind }) => kind === "model_failing")
    assert.deepInclude(problem, {
      severity: "warning",
      reach: 3,
      cause: "3 of 3 replies failed in the last 3 minutes: the provider answers 500"
    })
  })

  it("is a warning while half of the replies of the last minute arrive, and none after that", async () => {
    const all = () => sql()`select 1 from turn_stages where stage = 'generation' and status <> 'ok'`
    assert.isAbove((await all()).length, 0)
    const replyAgain = (count: number) => sql()`
      insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at, latency_ms,
        status)
      select 'app_x', 'ses_' || n, 1, 1, 1, 'generation', 1, now() - interval '5 seconds', 1, 'ok'
      from generate_series(1, ${count}::int) n
      on conflict (app_id, session_id, turn_index, fence, seq) do update set started_at = excluded.started_at`
    const ofModel = async () => (await problems()).find(({ kind }) => kind === "model_failing")
    const fail = () => sql()`
      update turn_stages set started_at = now() - interval '10 seconds' where stage = 'generation' and status <> 'ok'`
    await replyAgain(3)
    await fail()
    assert.deepInclude(await ofModel(), {
      severity: "warning",
      reach: 3,
      cause: "3 of 6 replies failed in the last minute: the provider answers 500"
    })
    await replyAgain(4)
    await fail()
    assert.isUndefined(await ofModel())
  })
})
