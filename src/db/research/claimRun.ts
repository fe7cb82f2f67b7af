import type { Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"

/** A run that kills whoever works at it is given up after so many tries. */
export const MOST_ATTEMPTS = 5

type Runs = "readiness_probes" | "research"

/**
 * Takes a run of a table that nobody works at, or at which somebody worked who is not registered any more: it is gone
 * on with from where it was left. The app of which fewest are worked at comes first, and of one app the oldest run.
 * Runs of a suspended app wait. `except`: apps that may take no more.
 */
export const claimRun = (sql: Sql, table: Runs, owner: string, except: ReadonlyArray<string>) => sql`
  update ${sql(table)} r set status = 'running',
    owner = ${owner}, attempts = attempts + 1, started_at = coalesce(started_at, now())
  from (
    select app_id, run_ref from ${sql(table)} t
    where app_id <> all(${except}::text[]) and status in ('queued', 'running') and (owner is null or not exists (select
      from workers w where w.worker_id = t.owner)) and not (${isSuspended(sql, sql`t.app_id`)})
    order by (select count(*) from
      ${sql(table)} b where b.app_id = t.app_id and b.status = 'running' and b.owner is not null), created_at limit 1
        for update skip locked
  ) d
  where r.app_id = d.app_id and r.run_ref = d.run_ref returning r.app_id, r.run_ref`

/** Leaves a run to whoever comes next: its worker lives, and has not come to its end. */
export const leaveRun = (
  sql: Sql,
  table: Runs,
  owner: string,
  { app_id, run_ref }: { readonly app_id: string; readonly run_ref: string }
) => sql`
  update ${sql(table)} set owner = null
    where app_id = ${app_id} and run_ref = ${run_ref} and owner = ${owner} and status = 'running'`
