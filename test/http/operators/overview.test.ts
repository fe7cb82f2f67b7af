import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { AlertPage } from "#src/http/operators/alertSchemas.ts"
import { JobsData } from "#src/http/operators/jobRoutes.ts"
import { OverviewData } from "#src/http/operators/overviewRoutes.ts"
import { WorkersData } from "#src/http/operators/workerRoutes.ts"
import { createOperatorIn } from "#test/support/accounts/createOperatorIn.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else"
let server: TestServer
let operator: TestApp
let receiver: Receiver
beforeAll(async () => {
  server = await startTestServer({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
  receiver = await startReceiver(status(204))
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const sql = () => server.database.sql
const addHealthJob = () => sql()`select graphile_worker.add_job('health', queue_name := 'health')`
const overview = async () => {
  const { status, body } = await operator.get("/admin/overview")
  assert.strictEqual(status, 200, JSON.stringify(body))
  assert.deepStrictEqual(OverviewData.strict().safeParse(body.data).error, undefined)
  return body.data
}
const troupe = (...args: ReadonlyArray<string>) =>
  runTroupe({ TROUPE_URL: server.baseUrl, TROUPE_OPERATOR_TOKEN: ADMIN_TOKEN }, args)
/** A job that has used up its attempts. */
const addFailedJob = async (): Promise<string> => {
  const [job] = await sql()<Array<{ id: string }>>`
    select id::text from graphile_worker.add_job('recount', '{}'::json,
      run_at := now() + interval '1 day', max_attempts := 1)`
  await sql()`update graphile_worker._private_jobs set attempts = 1, last_error = 'boom' where id = ${job!.id}::bigint`
  return job!.id
}

describe("GET /admin/overview", () => {
  it("says in words that all is well, and counts messages, pushes and times of replies", async () => {
    const app = await server.createApp()
    await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: `${receiver.url}/hook` })
    const session = await app.createSession()
    await app.converse(session, "hello")
    await until(
      "the reply to be pushed",
      async () =>
        (
          await sql()`select 1 from delivery_attempts a join events e using (app_id, session_id, cursor)
        where e.role = 'character' and a.outcome = 'sent'`
        ).length > 0
    )
    await sql()`insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      values (${app.appId}, 'run_x', 'message_fast', 'settle', 2500000, 'x')`
    const seen = await until("the figures", async () => {
      await addHealthJob()
      const { figures } = await overview()
      return figures.messages_out.value > 0 && figures.accept_to_reply_p99_ms.value !== null && (await overview())
    })
    assert.strictEqual(seen.status, "ok")
    assert.strictEqual(seen.verdict, "Everything is working.")
    assert.deepStrictEqual(seen.attention, [])
    const { figures, hours, fleet } = seen
    // The greeting counts, too. At midnight (UTC), today is over in between.
    assert.deepInclude(figures.messages_in, { precision: "rolled_up" })
    assert.isAtLeast(
      hours.reduce((sum: number, hour: any) => sum + hour.messages_in, 0),
      1
    )
    assert.isAtLeast(
      hours.reduce((sum: number, hour: any) => sum + hour.messages_out, 0),
      1
    )
    assert.closeTo(
      hours.reduce((sum: number, hour: any) => sum + hour.spent_usd, 0),
      2.5,
      0.5
    )
    assert.deepInclude(figures.accept_to_reply_p50_ms, { precision: "estimate" })
    assert.isAtMost(figures.accept_to_reply_p50_ms.value, figures.accept_to_reply_p99_ms.value)
    assert.deepInclude(fleet, { apps: 1, bots: 0, webhooks: 1 })
    assert.lengthOf(hours, 24)
  })

  it("says what needs attention, worst first, with equal problems of an app as one row", async () => {
    const app = await server.createApp()
    const slug = await app.createCharacter()
    for (const id of ["bot_1", "bot_2", "bot_3"])
      await sql()`insert into telegram_bots (app_id, channel_id, mode, character_slug, status, reason)
        values (${app.appId}, ${id}, 'byo', ${slug}, 'revoked', 'token_rejected')`
    const { body } = await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: "http://127.0.0.1:1/x" })
    await sql()`update channels set failing_since = now() - interval '1 hour', consecutive_failures = 11
      where channel_id = ${body.data.id}`
    const seen = await overview()
    assert.strictEqual(seen.verdict, "3 bots and 1 webhook need attention.")
    assert.strictEqual(seen.status, "degraded")
    assert.deepStrictEqual(
      seen.attention.map(({ kind, app_id, problems }: any) => [kind, app_id, problems]),
      [
        ["bot_revoked", app.appId, 3],
        ["webhook_failing", app.appId, 1]
      ]
    )
    assert.lengthOf(seen.attention[0].examples, 3)

    const shown = await troupe("status")
    assert.strictEqual(shown.code, 1, shown.stderr)
    assert.match(shown.stdout, /^3 bots and 1 webhook need attention\.\n/)
    assert.include(shown.stdout, "bot_revoked x3")
    const json = await troupe("status", "--json")
    assert.deepInclude(JSON.parse(json.stdout), { verdict: seen.verdict })

    await sql()`delete from telegram_bots`
    await sql()`update channels set status = 'paused' where channel_id = ${body.data.id}`
    const well = await troupe("status")
    assert.deepStrictEqual([well.code, well.stderr], [0, ""])
    // Bots are counted once a minute.
    assert.match(well.stdout, /^(?:Everything is|All 3 bots are) working\.\n/)
  })
})

describe("troupe top", () => {
  it("shows figures and processes once, as text and as JSON", async () => {
    const text = await troupe("top", "--once")
    assert.deepStrictEqual([text.code, text.stderr], [0, ""])
    assert.match(text.stdout, /api,worker,telegram, heartbeat \d+ s ago/)
    const json = await troupe("top", "--once", "--json")
    const line = JSON.parse(json.stdout)
    assert.strictEqual(line.status, "ok")
    assert.lengthOf(line.processes, 1)
  })

  it("needs no token on the server's machine, and gives none to a server that only its address names", async () => {
    const here = { DATABASE_URL: server.database.url, PUBLIC_URL: server.baseUrl }
    const local = await runTroupe(here, ["top", "--once", "--json"])
    assert.deepStrictEqual([local.code, local.stderr], [0, ""])
    assert.lengthOf(JSON.parse(local.stdout).processes, 1)
    assert.notMatch(local.stdout, /op_/)
    for (const command of [
      ["bot", "list"],
      ["delivery", "list"]
    ])
      assert.deepStrictEqual((await runTroupe(here, command)).code, 0, command.join(" "))
    assert.isEmpty(await sql()`select 1 from operator_tokens where name = 'troupe at the terminal'`)
    const elsewhere = await runTroupe(here, ["status", "--url", receiver.url])
    assert.strictEqual(elsewhere.code, 1)
    assert.match(elsewhere.stderr, /^troupe: TROUPE_OPERATOR_TOKEN: must be set/)
    const action = await runTroupe(here, ["bot", "suspend", "--all"])
    assert.match(action.stderr, /^troupe: TROUPE_OPERATOR_TOKEN: must be set/)
  })

  it("says what is missing, and exits with 1", async () => {
    const without = await runTroupe({ TROUPE_URL: server.baseUrl }, ["status"])
    assert.strictEqual(without.code, 1)
    assert.match(without.stderr, /^troupe: TROUPE_OPERATOR_TOKEN: must be set/)
    const wrong = await runTroupe({ TROUPE_URL: server.baseUrl, ADMIN_TOKEN: "wrong" }, ["top", "--once"])
    assert.deepStrictEqual([wrong.code, wrong.stdout], [1, ""])
    assert.match(wrong.stderr, /^troupe: 401 /)
  })
})

describe("GET /admin/workers", () => {
  it("lists this process with its version, roles and what it holds", async () => {
    const { data } = (await operator.get("/admin/workers")).body
    assert.deepStrictEqual(WorkersData.strict().safeParse(data).error, undefined)
    const [own] = data.processes
    assert.deepInclude(own, { roles: ["api", "worker", "telegram"], pid: process.pid })
    assert.match(own.version, /^\d+\.\d+\.\d+/)
  })
})

describe("jobs that failed", () => {
  it("are a problem, and can be retried or removed by an operator, which is audited", async () => {
    const [first, second] = [await addFailedJob(), await addFailedJob()]
    const { data } = (await operator.get("/admin/jobs?state=failed")).body
    assert.deepStrictEqual(JobsData.strict().safeParse(data).error, undefined)
    assert.deepStrictEqual(
      data.jobs.map((job: any) => [job.job_id, job.last_error]),
      [
        [first, "boom"],
        [second, "boom"]
      ]
    )
    assert.deepInclude(
      data.queues.find((queue: any) => queue.task === "recount"),
      { failed: 2 }
    )
    const [item] = (await overview()).attention
    assert.deepInclude(item, { kind: "job_failed", app_id: null })
    assert.strictEqual((await overview()).verdict, "The server needs attention.")

    const page = (await operator.get("/admin/jobs?state=failed&limit=1")).body.data
    assert.lengthOf(page.jobs, 1)
    const rest = (await operator.get(`/admin/jobs?state=failed&limit=1&cursor=${page.next_cursor}`)).body.data
    assert.deepStrictEqual(
      rest.jobs.map((job: any) => job.job_id),
      [second]
    )

    assert.strictEqual((await operator.post(`/admin/jobs/${first}/retry`, {})).status, 200)
    assert.strictEqual((await operator.post(`/admin/jobs/${second}/remove`, {})).status, 200)
    for (const id of [second, "0", "x", "99999999999999999999"]) {
      const { status, body } = await operator.post(`/admin/jobs/${id}/remove`, {})
      assert.deepStrictEqual([status, body.detail.code], [404, "failed_job_not_found"], id)
    }
    assert.deepStrictEqual((await operator.get("/admin/jobs?state=failed")).body.data.jobs, [])
    const entries = await sql()`
      select action, subject, actor_kind from audit_log where action like 'job.%' order by entry_id`
    assert.deepStrictEqual(
      entries.map(({ action, subject, actor_kind }) => [action, subject, actor_kind]),
      [
        ["job.retried", first, "operator"],
        ["job.removed", second, "operator"]
      ]
    )
  })
})

describe("alert channels", () => {
  it("are created, tested, resumed and deleted by an operator, and are in no list of apps", async () => {
    const created = await operator.post("/admin/alert-channels", { url: `${receiver.url}/alerts?token=hidden` })
    assert.strictEqual(created.status, 200, JSON.stringify(created.body))
    const { channel_id, secret, url } = created.body.data
    assert.match(secret, /^whsec_/)
    assert.notInclude(url, "hidden")
    const tested = await operator.post(`/admin/alert-channels/${channel_id}/test`, {})
    assert.deepInclude(tested.body.data, { outcome: "sent", status_code: 204 })
    assert.notInclude(JSON.stringify((await operator.get("/admin/alert-channels")).body), secret)

    await sql()`update channels set status = 'disabled' where channel_id = ${channel_id}`
    const { problems } = (await operator.get("/admin/health")).body.data
    assert.strictEqual(
      problems.find(({ kind }: any) => kind === "webhook_disabled").next_step.path,
      `/admin/alert-channels/${channel_id}/resume`
    )
    const resumed = await operator.post(`/admin/alert-channels/${channel_id}/resume`, {})
    assert.strictEqual(resumed.body.data.status, "active")
    const apps = (await operator.get("/admin/apps?limit=100")).body.data.apps
    assert.notInclude(JSON.stringify(apps), "A1ERTS")
    assert.strictEqual((await operator.delete(`/admin/alert-channels/${channel_id}`)).status, 200)
    assert.deepStrictEqual((await operator.get("/admin/alert-channels")).body.data.channels, [])
    assert.strictEqual((await operator.post(`/admin/alert-channels/${channel_id}/test`, {})).status, 404)
    const inside = await operator.post("/admin/alert-channels", { url: "http://10.0.0.1/x" })
    assert.strictEqual(inside.status, 422)
  })

  it("are a problem for as long as they are paused, whose next step resumes them", async () => {
    const { channel_id } = (await operator.post("/admin/alert-channels", { url: `${receiver.url}/alerts` })).body.data
    const paused = async () => {
      const { problems } = (await operator.get("/admin/health")).body.data
      return problems.filter(({ kind }: any) => kind === "alert_channel_paused")
    }
    assert.deepStrictEqual(await paused(), [])
    assert.strictEqual((await operator.post(`/admin/channels/${channel_id}/pause`, {})).body.data.status, "paused")
    const [problem, ...others] = await paused()
    assert.deepStrictEqual(others, [])
    assert.deepInclude(problem, { severity: "warning", count: 1 })
    assert.strictEqual(problem.subject.channel_id, channel_id)
    const { verdict, attention } = await overview()
    assert.include(verdict, "attention")
    assert.include(JSON.stringify(attention), channel_id)
    const { method, path } = problem.next_step
    assert.strictEqual((await operator.request(method, path, {})).body.data.status, "active")
    assert.deepStrictEqual(await paused(), [])
    assert.strictEqual((await operator.delete(`/admin/alert-channels/${channel_id}`)).status, 200)
  })

  it("are closed to viewers, who may list alerts", async () => {
    const viewer = await createOperatorIn(server, "viewer")
    assert.strictEqual((await viewer.post("/admin/alert-channels", { url: receiver.url })).status, 403)
    const { data } = (await viewer.get("/admin/alerts")).body
    assert.deepStrictEqual(AlertPage.strict().safeParse(data).error, undefined)
  })
})
