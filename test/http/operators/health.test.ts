import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type * as z from "zod"
import { ALERTS_APP } from "#src/health/alertsApp.ts"
import { botProblems } from "#src/health/botProblems.ts"
import { channelProblems, laneProblems, unknownProblems } from "#src/health/deliveryProblems.ts"
import { jobProblems, queueProblems } from "#src/health/workProblems.ts"
import { AppHealthData } from "#src/http/operators/appHealthSchemas.ts"
import { AdminHealthData } from "#src/http/operators/adminHealthRoutes.ts"
import type { ProblemData } from "#src/http/operators/problemSchemas.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { startTelegramHarness, type TelegramHarness } from "#test/support/TelegramHarness.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

type Problem = z.output<typeof ProblemData>

const ADMIN_TOKEN = "the-operator-and-nobody-else"
let harness: TelegramHarness
let operator: TestApp
let broken: Receiver
beforeAll(async () => {
  harness = await startTelegramHarness({ env: { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1" } })
  operator = new TestApp(harness.server.baseUrl, "", ADMIN_TOKEN)
  broken = await startReceiver(status(500))
})
afterAll(async () => {
  await harness.close()
  await broken.close()
})

const sql = () => harness.server.database.sql

/** The operator's view, which must have the documented form. */
const adminHealth = async (client = operator): Promise<z.output<typeof AdminHealthData>> => {
  const { status, body } = await client.get("/admin/health")
  assert.strictEqual(status, 200, JSON.stringify(body))
  assert.deepStrictEqual(AdminHealthData.strict().safeParse(body.data).error, undefined)
  return body.data
}
const appHealth = async (app: TestApp): Promise<z.output<typeof AppHealthData>> => {
  const { body } = await app.get("/v1/health")
  assert.deepStrictEqual(AppHealthData.strict().safeParse(body.data).error, undefined)
  return body.data
}
const ofKind = (problems: ReadonlyArray<Problem>, kind: Problem["kind"], app?: TestApp) =>
  problems.filter((problem) => problem.kind === kind && (app === undefined || problem.subject.app_id === app.appId))

/** The problem of this kind, in the app's view and in the operator's, which must agree. */
const inBoth = async (app: TestApp, kind: Problem["kind"]): Promise<Problem> => {
  const own = await appHealth(app)
  const all = await adminHealth()
  const [seen] = ofKind(own.problems, kind)
  const [found] = ofKind(all.problems, kind, app)
  assert.isDefined(seen, `${kind} in ${JSON.stringify(own.problems)}`)
  assert.isDefined(found, `${kind} in ${JSON.stringify(all.problems)}`)
  assert.deepStrictEqual({ ...seen, next_step: null }, { ...found, next_step: null })
  if (found.severity !== "info") {
    assert.strictEqual(own.status, "degraded")
    assert.strictEqual(all.status, "degraded")
  }
  return seen as Problem
}

/** Problems of other apps are of no concern to an app. */
const notIn = async (app: TestApp, kind: Problem["kind"]) =>
  assert.deepStrictEqual(ofKind((await appHealth(app)).problems, kind), [])

describe("health of a server without problems", () => {
  it("is ok, and each check shows what it has looked at", async () => {
    const own = await harness.server.createApp()
    assert.deepInclude(await appHealth(own), { status: "ok", problems: [] })
    const health = await until("all to be well", async () => {
      const health = await adminHealth()
      return health.status === "ok" && health
    })
    assert.deepStrictEqual([...new Set(health.checks.map((check) => check.status))], ["ok"])
    const evidence = Object.fromEntries(health.checks.map((check) => [check.name, check.evidence]))
    assert.deepInclude(evidence["database"], { reachable: true, is_standby: false })
    assert.strictEqual(evidence["workers"]?.["workers"], 1)
  })
})

describe("health of a bot", () => {
  it("reports a bot whose token Telegram rejects", async () => {
    const from = Date.now()
    const { bot, id } = await harness.attach()
    harness.telegram.revokeToken(bot)
    await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
    const problem = await inBoth(harness.app, "bot_revoked")
    assert.deepInclude(problem, { severity: "critical", count: 1, subject: { app_id: harness.app.appId, bot_id: id } })
    assertSince(problem.since, from)
    assert.deepInclude(problem.evidence, { status: "revoked", reason: "token_rejected", username: bot.username })
    assert.deepInclude(problem.next_step, { by: "app", method: "PATCH", path: `/v1/telegram/bots/${id}` })
    await notIn(await harness.server.createApp(), "bot_revoked")
    await harness.app.delete(`/v1/telegram/bots/${id}`)
    await notIn(harness.app, "bot_revoked")
  })

  it("reports a bot whose updates wait at Telegram and do not arrive, but not one that just got some", async () => {
    const { id } = await harness.attach()
    const change = (waiting: string, last: string | null) => sql()`
      update telegram_bots set updates_waiting_since = now() - ${waiting}::interval,
        last_in_at = now() - ${last}::interval where channel_id = ${id}`
    await change("5 minutes", null)
    await notIn(harness.app, "bot_deaf")
    await change("11 minutes", "1 minute")
    await notIn(harness.app, "bot_deaf")
    await change("11 minutes", "1 hour")
    const problem = await inBoth(harness.app, "bot_deaf")
    assert.deepInclude(problem, { severity: "critical", subject: { app_id: harness.app.appId, bot_id: id } })
    await harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
    await notIn(harness.app, "bot_deaf")
  })

  it("notes at a probe since when updates wait, for as long as none arrives", async () => {
    const { bot, id } = await harness.attach()
    const since = async () =>
      (
        await sql()<Array<{ at: Date | null }>>`
        select updates_waiting_since as at from telegram_bots where channel_id = ${id}`
      )[0]?.at?.getTime() ?? null
    const probe = () => harness.app.post(`/v1/telegram/bots/${id}/probe`, {})
    assert.isNull(await since())
    await sql()`update telegram_bots set secret_hash = '\\x00' where channel_id = ${id}`
    harness.telegram.start(harness.telegram.createUser(), bot)
    await until("an update to wait", async () => {
      await probe()
      return (await since()) !== null
    })
  })

  it("reports another system that has taken the webhook, a frozen bot and one that its app has suspended", async () => {
    const { id } = await harness.attach()
    const set = (state: string, reason: string | null) =>
      sql()`update telegram_bots set status = ${state}, reason = ${reason} where channel_id = ${id}`
    await set("degraded", "webhook_hijacked")
    assert.include((await inBoth(harness.app, "bot_conflict")).cause, "Another system")
    await set("degraded", "frozen")
    assert.include((await inBoth(harness.app, "bot_degraded")).cause, "frozen")
    await set("suspended", null)
    assert.deepInclude(await inBoth(harness.app, "bot_suspended"), { severity: "info", count: 1 })
    await set("active", null)
  })
})

describe("health of a webhook", () => {
  it("reports one that has failed eleven times in a row, since when and how", async () => {
    const app = await harness.server.createApp()
    const { body } = await app.post(`/v1/apps/${app.appId}/channels`, {
      kind: "webhook",
      url: `${broken.url}/hook`,
      retry_schedule: [86_400]
    })
    const channel = body.data.id
    const before = Date.now()
    // Eleven sessions, with one failed attempt each.
    const sessions = await Promise.all(Array.from({ length: 11 }, () => app.createSession()))
    await Promise.all(sessions.map((session) => app.send(session, "hello")))
    const problem = await until("eleven failures", async () => {
      const [found] = ofKind((await appHealth(app)).problems, "webhook_failing")
      return found !== undefined && found.count >= 11 && found
    })
    assert.deepStrictEqual(problem.subject, { app_id: app.appId, channel_id: channel })
    assert.isAtLeast(Date.parse(problem.since ?? ""), before - 1000)
    assert.deepInclude(problem.evidence, { last_status_code: 500, last_success_at: null, status: "active" })
    assert.include(problem.cause, "500")
    assert.strictEqual(problem.next_step.path, `/v1/apps/${app.appId}/channels/${channel}/resume`)
    await inBoth(app, "webhook_failing")
    await notIn(await harness.server.createApp(), "webhook_failing")

    await sql()`update channels set status = 'disabled' where channel_id = ${channel}`
    assert.strictEqual((await inBoth(app, "webhook_disabled")).severity, "critical")
    await app.post(`/v1/apps/${app.appId}/channels/${channel}/pause`, {})
    assert.deepStrictEqual((await appHealth(app)).problems, [])
  })
})

describe("health of a full disk", () => {
  it.skipIf(process.getuid?.() !== 0)("is critical over both routes, and only the operator sees the path", async () => {
    const folder = mkdtempSync(join(tmpdir(), "full-"))
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder])
    const server = await startTestServer({ env: { ADMIN_TOKEN, STORAGE_DIR: folder } })
    try {
      const app = await server.createApp()
      assert.strictEqual((await appHealth(app)).status, "ok")
      writeFileSync(join(folder, "filling"), Buffer.alloc(256 * 1024))
      const [seen] = (await appHealth(app)).problems
      assert.deepInclude(seen, { kind: "disk_nearly_full", severity: "critical", evidence: {}, subject: {} })
      assert.notInclude(JSON.stringify(seen), folder)
      assert.strictEqual((await appHealth(app)).status, "degraded")
      const all = await adminHealth(new TestApp(server.baseUrl, "", ADMIN_TOKEN))
      assert.strictEqual(all.status, "degraded")
      assert.deepInclude(ofKind(all.problems, "disk_nearly_full")[0]?.evidence, { path: folder, free_percent: 0 })
    } finally {
      await server.close()
      execFileSync("umount", [folder])
      rmSync(folder, { recursive: true })
    }
  })
})

describe("health of what an app uses", () => {
  it("reports old lanes and deliveries whose outcome is unknown", async () => {
    const app = await harness.server.createApp()
    const session = await app.createSession()
    const { body } = await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: `${broken.url}/hook` })
    const channel: string = body.data.id
    await sql()`update channels set not_before = now() + interval '1 hour' where channel_id = ${channel}`
    await sql()`
      insert into lanes (app_id, session_id, channel_id, generation, position, head, status, due_at)
      values (${app.appId}, 'ses_old', ${channel}, 1, 0, 1, 'ready', now() - interval '1 hour')`
    assert.deepInclude(await inBoth(app, "lane_old"), { count: 1, severity: "warning" })
    await sql()`delete from lanes where session_id = 'ses_old'`
    const attempt = (fence: number, outcome: string, minutes: number) => sql()`
      insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, started_at)
      values (${app.appId}, ${session}, ${channel}, 90, ${fence}, 'evt_x', ${outcome},
        now() - ${minutes}::int * interval '1 minute')`
    await attempt(1, "unknown", 10)
    const problem = await inBoth(app, "deliveries_unknown")
    assert.strictEqual(problem.next_step.path, `/v1/sessions/${session}/delivery?channel_id=${channel}`)
    await attempt(2, "sent", 9)
    await notIn(app, "deliveries_unknown")
  })

  it("reports a budget at 80 and at 100 percent, a ledger that differs, and a suspension", async () => {
    const app = await harness.server.createApp({ budgetUsd: 10 })
    const spend = (usd: number) => sql()`
      update allowances set day = utc_today(), month_used_micro_usd = ${usd * 1_000_000}::bigint
      where app_id = ${app.appId} and kind = 'app'`
    await spend(7.9)
    assert.deepStrictEqual((await appHealth(app)).problems, [])
    await spend(8)
    assert.deepInclude((await inBoth(app, "budget_nearly_spent")).evidence, { percent: 80, limit_usd: 10, used_usd: 8 })
    await spend(10)
    assert.strictEqual((await inBoth(app, "budget_spent")).severity, "critical")
    await spend(0)

    await sql()`insert into ledger_mismatches (app_id, turns, run_ref) values (${app.appId}, 2, 'run_x')`
    assert.strictEqual((await inBoth(app, "ledger_mismatch")).count, 2)
    await sql()`delete from ledger_mismatches`

    await sql()`insert into telegram_holds (scope, kind, reason) values (${app.appId}, 'app', 'unpaid')`
    const [held] = ofKind((await adminHealth()).problems, "app_suspended", app)
    assert.deepInclude(held, { severity: "info" })
    assert.deepInclude(held?.evidence, { reason: "unpaid" })
    await sql()`delete from telegram_holds`
  })
})

describe("health without a worker, and without the database", () => {
  it("is down in both views, and GET /admin/health answers even if the database does not", async () => {
    const server = await startTestServer({ env: { ADMIN_TOKEN, ROLES: "api" } })
    const client = new TestApp(server.baseUrl, "", ADMIN_TOKEN)
    try {
      const app = await server.createApp()
      assert.strictEqual((await appHealth(app)).status, "down")
      const health = await adminHealth(client)
      assert.strictEqual(health.status, "down")
      assert.include(ofKind(health.problems, "no_worker")[0]?.cause ?? "", "worker")
      await app.send(await app.createSession(), "hello")
      await server.database.sql`update turns set due_at = now() - interval '10 minutes'`
      assert.deepInclude(ofKind((await appHealth(app)).problems, "queue_lag")[0], { severity: "critical", count: 1 })
      const name = new URL(server.database.url).pathname.slice(1)
      const admin = postgres(server.database.url.replace(/\/[^/]+$/, "/postgres"), { max: 1 })
      try {
        await admin.unsafe(`alter database ${name} with allow_connections false`)
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
        const without = await adminHealth(client)
        assert.strictEqual(without.status, "down")
        assert.strictEqual(without.problems[0]?.kind, "database_unreachable")
        assert.isString(without.problems[0]?.since)
        assert.strictEqual(without.checks.find((check) => check.name === "bots")?.status, "unknown")
        assert.include((await client.get("/admin/overview")).body.data.verdict, "Nobody gets an answer")
      } finally {
        await admin.unsafe(`alter database ${name} with allow_connections true`)
        await admin.end()
      }
    } finally {
      await server.close()
    }
  })
})

describe("the next step of every problem", () => {
  it("names a route that the server has", async () => {
    const documented = (await (await fetch(`${harness.server.baseUrl}/openapi.json`)).json()) as {
      readonly paths: object
    }
    const routes = operationsIn(documented).map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`
    )
    const at = new Date()
    const old = new Date(0)
    const of = { app_id: "app_x", channel_id: "chn_x", kind: "webhook", session_id: "ses_x", reach: 1 }
    const bot = {
      ...of,
      mode: "byo" as const,
      username: null,
      reason: null,
      status_since: old,
      updates_waiting_since: old,
      last_in_at: null,
      last_out_at: null,
      probed_at: null,
      updates_waiting: 1,
      last_error_message: null
    }
    const channel = {
      ...of,
      status_since: old,
      failing_since: old,
      consecutive_failures: 9,
      last_success_at: null,
      last_failure_at: null,
      last_status_code: 500,
      last_error_code: null
    }
    const problems = [
      ...["revoked", "pending", "active"].flatMap((status) => botProblems({ ...bot, status }, at)),
      ...botProblems({ ...bot, mode: "managed", status: "revoked" }, at),
      ...["webhook_hijacked", "conflict", "webhook_failing", "frozen", "profile_incomplete"].flatMap((reason) =>
        botProblems({ ...bot, status: "degraded", reason }, at)
      ),
      ...["active", "disabled", "paused"].flatMap((status) =>
        [channel, { ...channel, session_id: null }, { ...channel, app_id: ALERTS_APP }].flatMap((each) =>
          channelProblems({ ...each, status })
        )
      ),
      ...channelProblems({ ...channel, kind: "telegram_byo", status: "active" }),
      ...laneProblems({ ...of, oldest_due_at: old, lanes: 1 }, at),
      ...unknownProblems({ ...of, first_at: old, deliveries: 1 }),
      ...queueProblems([{ app_id: "app_x", waiting: 1, oldest_due_at: old }], at),
      ...jobProblems(
        {
          task: "turn",
          due: 1,
          oldest_due_at: old,
          failed: 1,
          failed_at: old,
          last_error: "boom",
          locked: 1,
          oldest_locked_at: old
        },
        at
      )
    ]
    assert.isAbove(problems.length, 18)
    for (const { kind, next_step } of problems) {
      const path = next_step.path?.split("?")[0]?.replaceAll(/\/(?:app|chn|ses|evr)_\w+/g, "/*") ?? ""
      assert.include(routes, `${next_step.method} ${path}`, kind)
    }
  })
})
