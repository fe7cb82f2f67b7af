import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database } from "#src/db/postgres/Database.ts"
import { addToDayModels, addToDays } from "./ledgerDays.ts"

/** Entries per transaction. */
const ENTRIES_PER_STEP = 200

/**
 * Replaces the entries of the ledger from before the month before last by their sums. What a turn still owes, because
 * it is open or its memories are not extracted yet, stays as it is, and so does what operators' figures have not
 * counted. Entries and sums change in one transaction, so that a reader sees each amount exactly once.
 */
export const makeSumUpLedger = ({ query, transaction }: Context.Service.Shape<typeof Database>) => {
  const nextApp = (after: string) =>
    query<Array<{ app_id: string }>>(
      (sql) => sql`select app_id from ledger where app_id > ${after} order by app_id, at limit 1`
    ).pipe(Effect.map(([row]) => row?.app_id))

  /** Whether there may be more. */
  const step = Effect.fnUntraced(function* (appId: string) {
    yield* query((sql) => sql`select pg_advisory_xact_lock(hashtext('retention'))`)
    yield* query((sql) => sql`select set_config('troupe.sums_up_ledger', 'on', true)`)
    const [done] = yield* query<Array<{ entries: number }>>(
      (sql) => sql`
      with old as materialized (
        select l.ctid as at_place from ledger l left join turns t using (app_id, session_id, turn_index)
        where l.app_id = ${appId} and l.at < ledger_kept_from()
          and l.at < (select up_to from rollups where name = 'usage')
          and (t.app_id is null or t.outcome is not null and t.reading_hold_micro_usd = 0)
        order by l.at limit ${ENTRIES_PER_STEP}::int
      ), gone as (
        delete from ledger where ctid = any(array(select at_place from old))
        returning app_id, at, session_id, turn_index, activity, entry, amount_micro_usd, pictures,
          unpriced
      ), days as (
        ${addToDays(sql, "gone")}
      ), models as (
        ${addToDayModels(sql, "gone")}
      )
      select count(*)::int as entries from gone`
    )
    return done?.entries === ENTRIES_PER_STEP
  }, transaction)

  return Effect.gen(function* () {
    for (let appId = yield* nextApp(""); appId !== undefined; appId = yield* nextApp(appId)) {
      const of = appId
      yield* Effect.repeat(step(of), { until: (more) => !more })
    }
  })
}
