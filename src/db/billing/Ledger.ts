import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Joined } from "#src/db/postgres/Joined.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"

/**
 * A finished turn with inconsistent amounts, all in micro-USD. `held`, without the reservation for extraction, should
 * be 0, and the others should be equal.
 */
export interface Mismatch {
  readonly app_id: string
  readonly session_id: string
  readonly turn_index: number
  readonly run_ref: string
  readonly staged: number
  readonly settled: number
  readonly charged: number
  readonly held: number
}

export interface Reconciliation {
  /** The number of turns checked. */
  readonly turns: number
  readonly mismatches: ReadonlyArray<Mismatch>
}

/** The result of the last nightly check. */
export interface LedgerCheck extends Reconciliation {
  readonly checked_at: Date
  readonly since: Date
}

/** How long the results of checks are kept. */
const KEPT = "90 days"
/** Maximum number of mismatches in one answer. */
const MOST = 1000

/** Compares what the stages of turns have cost, what the ledger has settled for them, and the amounts on the turns. */
export class Ledger extends Context.Service<
  Ledger,
  {
    /** Checks all finished turns accepted since then, of one app or of all. */
    readonly reconcile: (filter: {
      readonly appId: string | null
      readonly since: Date
    }) => Effect.Effect<Reconciliation, DatabaseError>
    /** Keeps the result of a check of all apps. */
    readonly record: (since: Date, result: Reconciliation) => Effect.Effect<void, DatabaseError>
    /** The last recorded check. Undefined: there was none. */
    readonly lastCheck: Effect.Effect<LedgerCheck | undefined, DatabaseError>
    /**
     * Keeps which apps have mismatches, as the latest check of all apps has found them, for the health of the server.
     */
    readonly keepMismatches: (mismatches: ReadonlyArray<Mismatch>) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/billing/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { query } = yield* Database

      const ofApp = (appId: string, since: Date) =>
        query<Array<Joined<Omit<Mismatch, "app_id">> & { app_id: string; turns: number }>>(
          (sql) => sql`
      with accepted as (
        select distinct session_id, turn_index from ledger
          where app_id = ${appId} and at >= ${since.toISOString()} and entry = 'hold' and session_id is not null
      ), moved as (
        select session_id, turn_index, sum(amount_micro_usd) filter (where entry = 'settle') as settled,
          sum(amount_micro_usd) filter (where entry <> 'settle') as held
        from ledger where app_id = ${appId} and at >= ${since.toISOString()} group by 1, 2
      ), books as (
        select t.run_ref, t.session_id, t.turn_index, coalesce(t.cost_micro_usd, 0)::int8 as charged,
          coalesce(m.settled, 0)::int8 as settled, (coalesce(m.held, 0) - t.reading_hold_micro_usd)::int8 as held,
          (select coalesce(sum(s.cost_micro_usd), 0) from turn_stages s where s.app_id = t.app_id
            and s.session_id = t.session_id and s.turn_index = t.turn_index)::int8 as staged
        from accepted a join turns t on t.app_id =
          ${appId} and t.session_id = a.session_id and t.turn_index = a.turn_index
        left join moved m on m.session_id = t.session_id and m.turn_index = t.turn_index
        where t.outcome is not null
      )
      select n.turns, ${appId}::text as app_id, b.* from (select count(*)::int as turns from books) n
      left join books b on b.staged <> b.settled or b.settled <> b.charged or b.held <> 0
      limit ${MOST}`
        )

      const reconcile = Effect.fnUntraced(function* ({
        appId,
        since
      }: {
        readonly appId: string | null
        readonly since: Date
      }) {
        const apps =
          appId !== null
            ? [appId]
            : (yield* query<Array<{ app_id: string }>>(
                (sql) => sql`select app_id from apps where ${isNotShadow(sql)} order by app_id`
              )).map((row) => row.app_id)
        let turns = 0
        const mismatches: Array<Mismatch> = []
        for (const app of apps) {
          const rows = yield* ofApp(app, since)
          turns += rows[0]?.turns ?? 0
          for (const { turns: _, ...row } of rows)
            if (row.run_ref !== null && mismatches.length < MOST) mismatches.push(row)
        }
        return { turns, mismatches }
      })

      const keepMismatches = (mismatches: ReadonlyArray<Mismatch>) =>
        query(
          (sql) => sql`
      with found as (
        select app_id, count(*)::int as turns, min(run_ref) as run_ref
        from unnest(${mismatches.map((m) => m.app_id)}::text[], ${mismatches.map((m) => m.run_ref)}::text[])
          as m(app_id, run_ref) group by 1
      ), gone as (
        delete from ledger_mismatches where app_id not in (select app_id from found)
      )
      insert into ledger_mismatches as l (app_id, turns, run_ref) select app_id, turns, run_ref from found
      on conflict (app_id) do update set turns = excluded.turns, run_ref = excluded.run_ref`
        ).pipe(Effect.asVoid)

      return Ledger.of({
        reconcile,
        keepMismatches,
        record: (since, { turns, mismatches }) =>
          Effect.asVoid(
            query(
              (sql) => sql`
        with old as (delete from ledger_checks where checked_at < now() - ${KEPT}::interval)
        insert into ledger_checks (since, turns, mismatches)
        values (${since}, ${turns}::int, ${JSON.stringify(mismatches)}::text::json)`
            )
          ),
        lastCheck: query<Array<LedgerCheck>>(
          (sql) => sql`select checked_at, since, turns, mismatches from ledger_checks order by checked_at desc limit 1`
        ).pipe(Effect.map(([row]) => row))
      })
    })
  )
}
