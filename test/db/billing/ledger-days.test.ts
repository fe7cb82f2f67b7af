import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { monthOfLedger } from "#src/db/billing/monthOfLedger.ts"
import { Usage, USAGE_GROUPS } from "#src/db/billing/Usage.ts"
import { allTables } from "#src/db/catalogue/allTables.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

const PEOPLE = ["ann", "bob", "cem"]
const CHARACTERS = ["ada", "kai"]
/** The sessions of an app, each of a character with a person. 0: none. */
const SESSIONS = [1, 2, 3, 4]
const sessionOf = (appId: string, n: number) => (n === 0 ? null : `ses_${appId}_${n}`)

let database: TestDatabase
let runtime: ManagedRuntime.ManagedRuntime<Allowances | Database | Usage, unknown>
beforeAll(async () => {
  database = await createTestDatabase()
  runtime = ManagedRuntime.make(
    Layer.merge(Usage.layer, Allowances.layer).pipe(
      Layer.provideMerge(Database.layer({ url: Redacted.make(database.url), maxConnections: 4 }))
    )
  )
})
afterAll(async () => {
  await runtime.dispose()
  await database.drop()
})

const retain = (turns: Duration.Duration | null) =>
  runtime.runPromise(
    Retention.use((retention) => retention.apply).pipe(
      Effect.provide(
        Retention.layer({
          attempts: Duration.days(30),
          log: null,
          turns,
          evals: null,
          batches: null,
          imports: null
        }).pipe(Layer.provide(Layer.succeed(Tables, allTables)))
      )
    )
  )

interface Booked {
  readonly monthsAgo: number
  readonly day: number
  readonly session: number
  readonly kind: "message_fast" | "message_deep" | "proactive" | "image" | "refund" | "eval"
  readonly microUsd: number
  readonly models: ReadonlyArray<string | null>
  readonly isOpen: boolean
  readonly unpriced: boolean
}
const booked: fc.Arbitrary<Booked> = fc.record({
  monthsAgo: fc.nat({ max: 5 }),
  day: fc.nat({ max: 27 }),
  session: fc.nat({ max: 4 }),
  kind: fc.constantFrom("message_fast", "message_deep", "proactive", "image", "refund", "eval"),
  microUsd: fc.nat({ max: 5000 }),
  models: fc.array(fc.constantFrom("small", "large", null), { maxLength: 3 }),
  isOpen: fc.boolean(),
  unpriced: fc.boolean()
})

let apps = 0
/** An app with a limit over all time and these entries, as turns and expenses write them. */
const createApp = async (entries: ReadonlyArray<Booked>): Promise<string> => {
  const { sql } = database
  const appId = `app_${++apps}`
  await sql`insert into apps (app_id, account_id, name) select ${appId}, account_id, '' from accounts limit 1`
  await sql`insert into allowances (app_id, kind, total_limit_micro_usd) values (${appId}, 'app', 1000000000)`
  await sql`insert into characters ${sql(CHARACTERS.map((slug) => ({ app_id: appId, slug, version: 1 })))}`
  await sql`insert into end_users ${sql(PEOPLE.map((ref) => ({ app_id: appId, external_user_ref: ref })))}`
  for (const n of SESSIONS) {
    const session = sessionOf(appId, n)
    await sql`insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls, metadata)
      values (${appId}, ${session}, ${CHARACTERS[n % 2]!}, ${PEOPLE[n % 3]!}, '{}', '{}')`
    await sql`insert into session_logs (app_id, session_id, turn_count) values (${appId}, ${session}, 1000)`
    await sql`insert into relationships (app_id, session_id, version, read_turn, bearing)
      values (${appId}, ${session}, 1, 1000, '{}')`
  }
  for (const [n, { monthsAgo, day, session, kind, microUsd, models, isOpen, unpriced }] of entries.entries()) {
    const at = sql`least(now() - interval '1 hour', (date_trunc('month', now() at time zone 'utc')
      - ${monthsAgo}::int * interval '1 month' + ${day}::int * interval '1 day' + interval '7 hours')
        at time zone 'utc')`
    const ofSession = sessionOf(appId, session)
    const isTurn = ofSession !== null && (kind.startsWith("message") || kind === "proactive")
    const entry = (name: string, amount: number, turn: number | null, pictures: number | null = null) => sql`
      insert into ledger (app_id, at, run_ref, session_id, turn_index, activity, entry, amount_micro_usd, price_version,
        pictures, unpriced)
      values (${appId}, ${at}, ${`run_${n}`}, ${ofSession}, ${turn}, ${kind === "refund" ? "image" : kind}, ${name},
        ${amount}, '1', ${pictures}, ${isTurn || !unpriced ? null : true})`
    if (!isTurn) {
      const [amount, pictures] = kind === "refund" ? [-microUsd, -1] : [microUsd, kind === "image" ? 1 : null]
      await entry("settle", amount, null, pictures)
      continue
    }
    await entry("hold", microUsd + 100, n + 1)
    await sql`insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, accepted_at,
      hold_micro_usd, cost_micro_usd, outcome, settled_at)
      values (${appId}, ${ofSession}, ${n + 1}, ${`run_${n}`}, ${n + 1}, 'fast', 'api', ${at}, ${microUsd + 100},
        ${isOpen ? null : microUsd}, ${isOpen ? null : "replied"}, ${isOpen ? null : at})`
    for (const [seq, model] of models.entries())
      await sql`insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at,
        latency_ms, status, model, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, unpriced)
        values (${appId}, ${ofSession}, ${n + 1}, 1, ${seq}, 'generation', 1, now(), 1, 'ok', ${model},
          ${model === null ? null : seq + 10}, ${seq}, ${seq + 1}, ${seq * 7}, ${model === "large"})`
    if (isOpen) continue
    await entry("release", -microUsd - 100, n + 1)
    await entry("settle", microUsd, n + 1)
  }
  return appId
}

const sorted = <A>(rows: ReadonlyArray<A>) => rows.map((row) => JSON.stringify(row)).sort()
const monthStart = (ago: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1))
}

/** Everything that is read from the books of an app. */
const books = (appId: string) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const { query } = yield* Database
      const usage = yield* Usage
      const read = []
      for (const [from, to] of [
        [monthStart(12), new Date()],
        [monthStart(4), monthStart(1)]
      ] as const)
        for (const externalUserRef of [null, "ann"])
          for (const groupBy of [null, ...USAGE_GROUPS])
            read.push(sorted(yield* usage.read({ apps: [appId], externalUserRef, from, to, groupBy })))
      yield* Allowances.use((allowances) => allowances.recount([appId]))
      read.push(
        yield* query(
          (sql) => sql`
        select day_used_micro_usd, month_used_micro_usd, total_used_micro_usd, day_messages from allowances
        where app_id = ${appId}`
        )
      )
      for (const externalUserRef of PEOPLE) {
        let after = ""
        while (true) {
          const [month] = yield* query<Array<{ at: string; row: string | null }>>((sql) =>
            monthOfLedger(sql, { appId, externalUserRef, sessionId: "", after, limit: 1 })
          )
          if (month === undefined) break
          after = month.at
          if (month.row !== null) read.push(month.row)
        }
      }
      return read
    })
  )

describe("the sums of the ledger", () => {
  it("show the same usage, budgets and exports as the entries that they replace, in whichever order turns go", () =>
    fc.assert(
      fc.asyncProperty(fc.array(booked, { minLength: 1, maxLength: 25 }), fc.boolean(), async (entries, turnsFirst) => {
        const appId = await createApp(entries)
        const before = await books(appId)
        // Turns of the last months have entries that stay, so their tokens are booked when they go.
        if (turnsFirst) await retain(Duration.days(7))
        else await retain(null)
        assert.deepStrictEqual(await books(appId), before)
        await retain(Duration.days(7))
        await retain(Duration.days(7))
        assert.deepStrictEqual(await books(appId), before)

        const [left] = await database.sql`
          select count(*)::int as n from ledger l left join turns t using (app_id, session_id, turn_index)
          where app_id = ${appId} and l.at < ledger_kept_from() and (t.app_id is null or t.outcome is not null)`
        assert.deepStrictEqual(left, { n: 0 }, "entries from before the month before last")
        const [open] = await database.sql`
          select count(*)::int as n from turns where app_id = ${appId} and outcome is null`
        const isTurn = ({ kind, session }: Booked) =>
          session > 0 && (kind.startsWith("message") || kind === "proactive")
        assert.strictEqual(open?.["n"], entries.filter((entry) => entry.isOpen && isTurn(entry)).length)
      }),
      { numRuns: 25 }
    ))

  it("stay when a session is erased, as entries do, without the person", async () => {
    const entry = { monthsAgo: 4, day: 3, session: 1, kind: "message_fast", microUsd: 70, models: ["small"] } as const
    const appId = await createApp([{ ...entry, isOpen: false, unpriced: false }])
    await retain(null)
    await database.sql`delete from turns where app_id = ${appId}`
    await database.sql`delete from relationships where app_id = ${appId}`
    await database.sql`delete from sessions where app_id = ${appId} and session_id = ${sessionOf(appId, 1)}`
    const rows = await runtime.runPromise(
      Usage.use((usage) =>
        usage.read({ apps: [appId], externalUserRef: null, from: monthStart(6), to: new Date(), groupBy: "end_user" })
      )
    )
    assert.lengthOf(rows, 1)
    assert.deepInclude(rows[0], { key: null, messages: 1, cost_micro_usd: 70, input_tokens: 10 })
  })

  it("are never made while a process of an older version reads the ledger", async () => {
    const entry = { monthsAgo: 4, day: 3, session: 1, kind: "message_fast", microUsd: 70, models: [] } as const
    const appId = await createApp([{ ...entry, isOpen: false, unpriced: false }])
    const { sql } = database
    const count = async () =>
      (await sql`select count(*)::int as n from ledger where app_id = ${appId}`)[0]?.["n"] as number
    await sql`insert into processes (process_id, version, roles, host, pid) values ('prc_1', '0.1.0', '{api}', '', 1)`
    await retain(null)
    assert.strictEqual(await count(), 3)
    await sql`delete from processes`
    await retain(null)
    assert.strictEqual(await count(), 0)
  })

  it("are the only way to take an entry out of the ledger", async () => {
    const entry = { monthsAgo: 0, day: 0, session: 0, kind: "eval", microUsd: 70, models: [] } as const
    const appId = await createApp([
      { ...entry, isOpen: false, unpriced: false },
      { ...entry, monthsAgo: 4, isOpen: false, unpriced: false }
    ])
    const refused = async (change: () => Promise<unknown>) =>
      assert.match(
        String(
          await change().then(
            () => "done",
            (error: unknown) => error
          )
        ),
        /append-only/
      )
    const { sql } = database
    await refused(() => sql`delete from ledger where app_id = ${appId}`)
    await refused(() => sql`update ledger set amount_micro_usd = 0 where app_id = ${appId}`)
    await refused(() =>
      sql.begin(async (sql) => {
        await sql`select set_config('troupe.sums_up_ledger', 'on', true)`
        await sql`delete from ledger where app_id = ${appId}`
      })
    )
  })
})
