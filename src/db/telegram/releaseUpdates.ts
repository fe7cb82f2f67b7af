import { countCrashes } from "#src/db/crashes/countCrash.ts"
import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database } from "#src/db/postgres/Database.ts"

/**
 * Requests another worker for what these workers handled. A worker begins all updates of a batch at once, so all that
 * are left were being handled. Attempts count failures, so they are given back. The error makes a chat wait until the
 * update is due.
 */
export const releaseUpdates: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      with held as materialized (
        select app_id, channel_id, update_id, channel_id || ' ' || batch as unit,
          owner = any(${[...crashed]}::text[]) as crashed
        from telegram_updates
        where owner = any(${[...crashed, ...stopped]}::text[]) and done_at is null
        order by app_id, channel_id, update_id for no key update
      ), counted as (
        ${countCrashes(sql, "update", sql`select distinct app_id, unit from held where crashed`)}
      ), released as (
        update telegram_updates u set owner = null, attempts = u.attempts - 1,
          error = case when h.crashed then 'crashed' else u.error end,
          due_at = case when h.crashed then ${beginsAgain(sql, sql`c.crashes`)} else u.due_at end
        from held h left join counted c on c.app_id = h.app_id and c.unit = h.unit
        where u.app_id = h.app_id and u.channel_id = h.channel_id and u.update_id = h.update_id
        returning u.due_at
      )
      select graphile_worker.add_job('telegram', '{}'::json)
      where exists (select from released where due_at <= now())`
    )
  )

/** The same for updates of the manager bot, which belong to no app. */
export const releaseManagerUpdates: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      with held as materialized (
        select update_id, 'manager ' || update_id as unit, owner = any(${[...crashed]}::text[]) as crashed
        from telegram_manager_updates
        where owner = any(${[...crashed, ...stopped]}::text[]) and done_at is null
        order by update_id for no key update
      ), counted as (
        ${countCrashes(sql, "update", sql`select '' as app_id, unit from held where crashed`)}
      ), released as (
        update telegram_manager_updates u set owner = null, attempts = u.attempts - 1,
          error = case when h.crashed then 'crashed' else u.error end,
          due_at = case when h.crashed then ${beginsAgain(sql, sql`c.crashes`)} else u.due_at end
        from held h left join counted c on c.unit = h.unit
        where u.update_id = h.update_id returning u.due_at
      )
      select graphile_worker.add_job('manager', '{}'::json, run_at := d.due_at)
      from (select distinct due_at from released) d`
    )
  )
