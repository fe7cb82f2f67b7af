import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** A try that a worker has stopped is given back. One at which it died counts, and the next one waits. */
export const releaseExports: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      with held as (
        select app_id, export_id, owner = any(${[...crashed]}::text[]) as crashed from exports
        where status = 'running' and owner = any(${[...crashed, ...stopped]}::text[])
        order by app_id, export_id for no key update
      ), released as (
        update exports x set owner = null, attempts = x.attempts - (not h.crashed)::int,
          retry_at = case when h.crashed then ${beginsAgain(sql, sql`x.attempts`)} end
        from held h where x.app_id = h.app_id and x.export_id = h.export_id returning x.retry_at
      )
      select graphile_worker.add_job('exports', '{}'::json, run_at := d.retry_at)
      from (select distinct retry_at from released) d`
    )
  )
