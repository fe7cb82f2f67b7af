import type { GoneWorkers, ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import type { Runs } from "./claimRun.ts"

/** A try that a worker has stopped is given back. One at which it died counts, and the next one waits. */
const released = (sql: Sql, table: Runs, task: string, { crashed, stopped }: GoneWorkers) => sql`
  with held as (
    select app_id, run_ref, owner = any(${[...crashed]}::text[]) as crashed from ${sql(table)}
    where status = 'running' and owner = any(${[...crashed, ...stopped]}::text[])
    order by app_id, run_ref for no key update
  ), released as (
    update ${sql(table)} r set owner = null, attempts = r.attempts - (not h.crashed)::int,
      retry_at = case when h.crashed then ${beginsAgain(sql, sql`r.attempts`)} end
    from held h where r.app_id = h.app_id and r.run_ref = h.run_ref returning r.retry_at
  )
  select graphile_worker.add_job(${task}, '{}'::json, run_at := d.retry_at)
  from (select distinct retry_at from released) d`

export const releaseResearch: ReleaseUnits = (gone) =>
  Database.use(({ query }) => query((sql) => released(sql, "research", "research", gone)))

export const releaseProbes: ReleaseUnits = (gone) =>
  Database.use(({ query }) => query((sql) => released(sql, "readiness_probes", "rehearse", gone)))
