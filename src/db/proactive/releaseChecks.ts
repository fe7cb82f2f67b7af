import { countCrashes } from "#src/db/crashes/countCrash.ts"
import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** How many sessions of a batch are checked at once. */
export const CHECKS_AT_ONCE = 4

/**
 * Makes the sessions that these workers have not checked due again. A check is not recorded when it begins, which would
 * cost a statement each: a batch is worked off in the order in which it was claimed, so its first sessions that are
 * left are those that were being checked.
 */
export const releaseChecks: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      with held as materialized (
        select app_id, session_id, check_lease, split_part(check_lease, ' ', 1) as owner from relationships
        where check_lease is not null
          and split_part(check_lease, ' ', 1) = any(${[...crashed, ...stopped]}::text[])
        order by app_id, session_id for no key update
      ), placed as (
        select app_id, session_id, owner, row_number() over (partition by check_lease order by app_id, session_id)
          as place
        from held
      ), counted as (
        ${countCrashes(
          sql,
          "proactive",
          sql`select app_id, session_id as unit from placed
            where place <= ${CHECKS_AT_ONCE}::int and owner = any(${[...crashed]}::text[])`
        )}
      ), due as (
        update relationships r set check_lease = null, initiate_at = ${beginsAgain(sql, sql`c.crashes`)}
        from held h left join counted c on c.app_id = h.app_id and c.unit = h.session_id
        where r.app_id = h.app_id and r.session_id = h.session_id returning r.initiate_at
      )
      select graphile_worker.add_job('initiate', '{}'::json, run_at := d.initiate_at)
      from (select distinct initiate_at from due) d`
    )
  )
