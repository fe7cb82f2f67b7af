import type { Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"

/** A run that kills its workers, or fails, is given up after this many attempts. */
export const MAX_ATTEMPTS = CRASH_LIMIT

export type Runs = "readiness_probes" | "research"

/**
 * Claims an unclaimed run of a table, or one whose worker is no longer registered. It continues where it stopped. The
 * app with the fewest claimed runs goes first, with its oldest run. Runs of suspended apps wait. `except`: apps that
 * have reached their limit.
 */
export const claimRun = (sql: Sql, table: Runs, owner: string, except: ReadonlyArray<string>) => sql`
  update ${sql(table)} r set status = 'running',
    owner = ${owner}, attempts = attempts + 1, started_at = coalesce(started_at, now())
  from (
    select app_id, run_ref from ${sql(table)} t
    where app_id <> all(${except}::text[]) and status in ('queued', 'running') and (owner is null or not exists (select
      from workers w where w.worker_id = t.owner)) and not (${isSuspended(sql, sql`t.app_id`)})
      and (retry_at is null or retry_at <= now())
    order by (select count(*) from
      ${sql(table)} b where b.app_id = t.app_id and b.status = 'running' and b.owner is not null), created_at limit 1
        for update skip locked
  ) d
  where r.app_id = d.app_id and r.run_ref = d.run_ref returning r.app_id, r.run_ref`

/** Releases an unfinished run of a live worker to the next one. `stopped`: the attempt does not count. */
export const releaseRun = (
  sql: Sql,
  table: Runs,
  owner: string,
  { app_id, run_ref }: { readonly app_id: string; readonly run_ref: string },
  stopped: boolean
) => sql`
  update ${sql(table)} set owner = null, attempts = attempts - ${stopped}::boolean::int
    where app_id = ${app_id} and run_ref = ${run_ref} and owner = ${owner} and status = 'running'`
