import postgres from "postgres"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Webhook } from "standardwebhooks"
import { createFleet, type Fleet } from "#test/support/Fleet.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

const ADMIN_TOKEN = "the-operator-and-nobody-else-1234567890"
// Half a minute of questions about the health of the server is more than the limit for an address.
const ENV = { ADMIN_TOKEN, OUTBOUND_ALLOW: "127.0.0.1", PUBLIC_REQUESTS_PER_MINUTE: "1000000" }

interface AlertEvent {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

let fleet: Fleet
let receiver: Receiver
beforeAll(async () => {
  fleet = await createFleet()
  receiver = await startReceiver(status(204))
})
afterAll(async () => {
  await fleet.close()
  await receiver.close()
})

/** Evaluates alerts now, as the job does every minute. */
const evaluate = async () => {
  const { sql } = fleet.database
  const before = (await sql`select at from alert_evaluation`)[0]?.["at"]
  await sql`select graphile_worker.add_job('health', queue_name := 'health')`
  await until("an evaluation", async () => {
    const at = (await sql`select at from alert_evaluation`)[0]?.["at"]
    return String(at?.getTime()) !== String(before?.getTime())
  })
}

describe("alerts", () => {
  it("arrive once, signed, repeat with a count, and are resolved after a process was killed", async () => {
    const { sql } = fleet.database
    const first = await fleet.start("api,worker", ENV)
    const operator = new TestApp(first.baseUrl, "", ADMIN_TOKEN)
    const created = await operator.post("/admin/alert-channels", { url: `${receiver.url}/alerts` })
    assert.strictEqual(created.status, 200, JSON.stringify(created.body))
    const { secret } = created.body.data
    assert.match(secret, /^whsec_/)
    // A process that is killed after a delivery, and before it has recorded it, delivers it again with the same id.
    const distinct = () => [
      ...new Map(receiver.requests.toReversed().map((r) => [r.headers["webhook-id"], r])).values()
    ]
    const read = async (index: number): Promise<AlertEvent> => {
      const { headers, body } = await until(`event ${index}`, () => distinct().toReversed()[index])
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return JSON.parse(body.toString())
    }

    const [app] = await sql<Array<{ app_id: string }>>`select app_id from apps where not starts_with(app_id, 'evr_')`
    const appId = app!.app_id
    await sql`insert into characters (app_id, slug, version) values (${appId}, 'mara', 1)`
    const addBot = (id: string) => sql`
      insert into telegram_bots (app_id, channel_id, mode, character_slug, status, reason)
      values (${appId}, ${id}, 'byo', 'mara', 'revoked', 'token_rejected')`
    await addBot("bot_1")
    await evaluate()
    await evaluate()
    const opened = await read(0)
    assert.strictEqual(opened.type, "alert.opened")
    assert.deepInclude(opened.payload, { kind: "bot_revoked", app_id: appId, problems: 1, subjects: "bot_1" })

    await addBot("bot_2")
    await evaluate()
    // It has become worse, but it was sent a moment ago.
    await sql`update alerts set sent_at = now() - interval '11 minutes'`
    await evaluate()
    const repeated = await read(1)
    assert.strictEqual(repeated.type, "alert.repeated")
    assert.deepInclude(repeated.payload, { alert_id: opened.payload["alert_id"], problems: 2, repeats: 1 })

    await first.stop("SIGKILL")
    await sql`delete from telegram_bots`
    const second = await fleet.start("api,worker", ENV)
    // A silent worker would be an alert of its own.
    await until("the killed worker to be gone", async () => (await sql`select 1 from workers`).length === 1)
    const list = async (state: string) =>
      (await new TestApp(second.baseUrl, "", ADMIN_TOKEN).get(`/admin/alerts?state=${state}`)).body.data.alerts
    await evaluate()
    await evaluate()
    const resolved = await read(2)
    assert.strictEqual(resolved.type, "alert.resolved")
    assert.strictEqual(resolved.payload["alert_id"], opened.payload["alert_id"])
    assert.isString(resolved.payload["resolved_at"])
    assert.deepStrictEqual(await list("open"), [])
    assert.deepInclude((await list("resolved"))[0], { kind: "bot_revoked", state: "resolved", repeats: 1 })

    // A gap between two evaluations: no worker was running.
    await sql`update alert_evaluation set at = now() - interval '1 hour'`
    await evaluate()
    const gap = [await read(3), await read(4)]
    assert.deepStrictEqual(
      gap.map(({ type, payload }) => [type, payload["kind"]]),
      [
        ["alert.opened", "no_worker"],
        ["alert.resolved", "no_worker"]
      ]
    )
    assert.lengthOf(distinct(), 5)
    await second.stop("SIGTERM")
  })

  it("tell of a database that could not be reached, once it is back", async () => {
    const { sql, url } = fleet.database
    const process = await fleet.start("api,worker", ENV)
    const operator = new TestApp(process.baseUrl, "", ADMIN_TOKEN)
    const name = new URL(url).pathname.slice(1)
    const admin = postgres(url.replace(/\/[^/]+$/, "/postgres"), { max: 1, onnotice: () => {} })
    const allow = (isAllowed: boolean) => admin.unsafe(`alter database ${name} with allow_connections ${isAllowed}`)
    try {
      await allow(false)
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      await until("half a minute without the database", async () => {
        const { problems } = (await operator.get("/admin/health")).body.data
        const since = problems.find(({ kind }: { kind: string }) => kind === "database_unreachable")?.since
        return typeof since === "string" && Date.now() - Date.parse(since) > 31_000
      })
    } finally {
      await allow(true)
      await admin.end()
    }
    const stored = await until("the alert", async () => {
      const rows = await sql`select severity, resolved_at from alerts where kind = 'database_unreachable'`.catch(
        () => []
      )
      return rows.length > 0 && rows
    })
    assert.lengthOf(stored, 1)
    assert.deepInclude(stored[0], { severity: "critical" })
    const { alerts } = (await operator.get("/admin/alerts?state=resolved")).body.data
    const told = alerts.find(({ kind }: { kind: string }) => kind === "database_unreachable")
    assert.isAtLeast(Date.parse(told.resolved_at) - Date.parse(told.since), 30_000)
    await process.stop("SIGTERM")
  })
})
