import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Retention, type RetentionOptions } from "#src/db/privacy/Retention.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(() => server.close())

const FOREVER: RetentionOptions = {
  attempts: Duration.days(30),
  log: null,
  turns: null,
  evals: null,
  batches: null,
  imports: null
}
const retain = (options: Partial<RetentionOptions>) =>
  Effect.runPromise(
    Retention.use((retention) => retention.apply).pipe(
      Effect.provide(
        Retention.layer({ ...FOREVER, ...options }).pipe(
          Layer.provide(Layer.succeed(Tables, allTables)),
          Layer.provide(Database.layer({ url: Redacted.make(server.database.url), maxConnections: 2 }))
        )
      )
    )
  )

const LAST_TURNS = 20
/** A session whose first three of 23 turns ended forty days ago. Everything is answered, and read for memories. */
const longSession = async (more: Record<string, unknown> = {}): Promise<string> => {
  const { sql } = server.database
  const session = await app.createSession(more)
  for (let n = 1; n <= LAST_TURNS + 3; n++)
    assert.strictEqual((await app.send(session, `Tea ${n}?`, { "idempotency-key": `key-${n}` })).status, 200)
  await until("every turn to end and to be read", async () => {
    const [row] = await sql`
      select count(*) filter (where outcome is null)::int as open, max(turn_index) = (select read_turn
        from relationships where session_id = ${session}) as read from turns where session_id = ${session}`
    return row?.["open"] === 0 && row["read"] === true
  })
  await sql.begin(async (sql) => {
    await sql`alter table ledger disable trigger append_only`
    await sql`update ledger set at = at - interval '40 days' where session_id = ${session} and turn_index <= 3`
    await sql`alter table ledger enable trigger append_only`
    await sql`update turns set accepted_at = accepted_at - interval '40 days',
      settled_at = settled_at - interval '40 days' where session_id = ${session} and turn_index <= 3`
  })
  return session
}
const turnsOf = async (session: string) =>
  (await server.database.sql`select turn_index from turns where session_id = ${session} order by 1`).map(
    (row) => row["turn_index"] as number
  )
const from = (first: number) => Array.from({ length: LAST_TURNS + 4 - first }, (_, i) => first + i)
const trimmed = () => retain({ turns: Duration.days(30) })

describe("turns with limited retention", () => {
  it("go with their stages, while runs, traces, the log, usage and keys of sends go on as before", async () => {
    const session = await longSession()
    const path = `/v1/sessions/${session}`
    const data = async (query: string) => (await app.get(`${path}${query}`)).body.data
    const [log, usage] = [await data("/events?since=0"), (await app.get("/v1/usage?group_by=kind")).body.data]
    const gone = log.events[0].trace_id
    assert.lengthOf((await data(`/trace?run_ref=${gone}`)).trace, 1)
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(4))
    const [stages] = await server.database.sql`
      select min(turn_index)::int as first from turn_stages where session_id = ${session}`
    assert.deepStrictEqual(stages, { first: 4 })

    assert.deepStrictEqual(await data("/events?since=0"), log)
    const { from: _, to: __, ...sums } = (await app.get("/v1/usage?group_by=kind")).body.data
    assert.deepInclude(usage, sums)
    const runs = (await data("/runs?limit=100")).runs.map((run: { trace_id: string }) => run.trace_id)
    assert.notInclude(runs, gone)
    assert.include(runs, log.events.at(-1).trace_id)
    assert.deepStrictEqual((await data(`/trace?run_ref=${gone}`)).trace, [])
    assert.strictEqual((await app.get(`${path}/timeline`)).status, 200)
    const waited = await app.get(`${path}/events?since=2&until=turn:${gone}`)
    assert.deepStrictEqual([waited.status, waited.body.detail.code], [404, "turn_not_found"])
    assert.strictEqual((await app.get("/v1/runs")).status, 200)

    const again = await app.send(session, "Tea 1?", { "idempotency-key": "key-1" })
    assert.deepInclude(again.body.data, { cursor: 1, sent_turn_index: 1, run_ref: gone, idempotent_replay: true })
    const kept = await app.send(session, "Tea 4?", { "idempotency-key": "key-4" })
    assert.strictEqual(kept.body.data.idempotent_replay, true)
    const next = await app.converse(session, "And coffee?")
    assert.strictEqual(next.payload["turn_index"], LAST_TURNS + 4)
  })

  it("stay while they or earlier ones are open, unread or reserved for", async () => {
    const { sql } = server.database
    const session = await longSession()
    await sql`update relationships set read_turn = 1 where session_id = ${session}`
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(2))
    await sql`update relationships set read_turn = ${LAST_TURNS + 3} where session_id = ${session}`
    await sql.begin(async (alive) => {
      await alive`select pg_advisory_xact_lock(hashtextextended('wrk_other', 0))`
      // It is never silent, however long this takes.
      await sql`insert into workers (worker_id, heartbeat_at) values ('wrk_other', now() + interval '1 hour')`
      await sql`update turns set outcome = null, owner = 'wrk_other' where session_id = ${session} and turn_index = 2`
      await trimmed()
      assert.deepStrictEqual(await turnsOf(session), from(2))
      await sql`update turns set outcome = 'replied', owner = null, reading_hold_micro_usd = 5
        where session_id = ${session} and turn_index = 2`
      await trimmed()
      assert.deepStrictEqual(await turnsOf(session), [2, ...from(4)])
    })
    await sql`update turns set reading_hold_micro_usd = 0 where session_id = ${session} and turn_index = 2`
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(4))
  })

  it("stay while an event of them is to be delivered", async () => {
    const { sql } = server.database
    const session = await longSession()
    const { body } = await app.post(`/v1/sessions/${session}/channels`, {
      kind: "webhook",
      url: "http://127.0.0.1:9/",
      from: "start"
    })
    await app.post(`/v1/sessions/${session}/channels/${body.data.id}/pause`, {})
    const [second] = await sql<Array<{ cursor: number }>>`
      select max(e.cursor)::int as cursor from events e join turns t on t.session_id = e.session_id
        and t.run_ref = e.trace_id where t.session_id = ${session} and t.turn_index = 1`
    await sql`update lanes set position = ${second!.cursor} where session_id = ${session}`
    await trimmed()
    assert.notInclude(await turnsOf(session), 1)
    assert.includeMembers(await turnsOf(session), from(3))
    await sql`update channels set status = 'disabled' where session_id = ${session}`
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(4))
  })

  it("can be erased and exported like others, with the keys of their sends", async () => {
    const { sql } = server.database
    const session = await longSession({ external_user_ref: "gone" })
    await trimmed()
    const keys = async () => (await sql`select 1 from sent_keys where session_id = ${session}`).length
    assert.strictEqual(await keys(), 3)
    await until("the export", async () => {
      const headers = { authorization: `Bearer ${app.key}` }
      return (await fetch(`${app.baseUrl}/v1/end-users/gone/export`, { headers })).status === 200
    })
    assert.strictEqual((await app.delete("/v1/end-users/gone")).status, 200)
    await until(
      "the erasure",
      async () => (await sql`select 1 from sessions where session_id = ${session}`).length === 0
    )
    assert.strictEqual(await keys(), 0)
  })

  it("are all kept while an older process runs", async () => {
    const { sql } = server.database
    const session = await longSession()
    await sql`insert into processes (process_id, version, roles, host, pid) values ('prc_1', '0.1.0', '{api}', '', 1)`
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(1))
    await sql`delete from processes where process_id = 'prc_1'`
    await trimmed()
    assert.deepStrictEqual(await turnsOf(session), from(4))
  })

  it("are deleted without locking what a send needs", async () => {
    const { sql } = server.database
    const session = await longSession()
    // Another transaction holds what a send of this session locks, for as long as the deletion takes.
    await sql.begin(async (send) => {
      await send`select 1 from session_logs where session_id = ${session} for no key update`
      await trimmed()
      assert.deepStrictEqual(await turnsOf(session), from(4))
    })
  })
})
