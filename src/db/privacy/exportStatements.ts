import type { Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"

export interface Export {
  readonly app_id: string
  readonly export_id: string
  readonly external_user_ref: string
  readonly status: "queued" | "running" | "ready" | "failed"
  readonly error_code: string | null
  /** The stored parts of the ZIP, in order. */
  readonly object_keys: ReadonlyArray<string>
  readonly size_bytes: number
  readonly created_at: Date
  /** When the ZIP, or the failure, expires. */
  readonly expires_at: Date | null
}

export const exportColumns = (sql: Sql) => sql`
  app_id, export_id, external_user_ref, status, error_code, to_json(object_keys) as object_keys, size_bytes,
    created_at, expires_at`

/** An export that a worker has claimed. Claims of one worker differ in `attempts`, unless it has stopped in between. */
export interface ClaimedExport {
  readonly appId: string
  readonly exportId: string
  readonly externalUserRef: string
  readonly owner: string
  readonly attempts: number
}

/**
 * Claims an export without a worker, or one whose worker is no longer registered. The export starts again; `left` are
 * the parts that the previous worker stored. The app with the fewest running exports comes first, then the oldest
 * export. Exports of a suspended app wait.
 */
export const claimExport = (sql: Sql, owner: string, except: ReadonlyArray<string>) => sql`
  update exports x set status = 'running', owner = ${owner}, attempts = x.attempts + 1, object_keys = '{}',
    size_bytes = 0, with_scores = a.expose_relational_numerics, started_at = coalesce(x.started_at, now())
  from (
    select app_id, export_id, object_keys from exports t
    where app_id <> all(${[...except]}::text[]) and status in ('queued', 'running') and (owner is null
      or not exists (select from workers w where w.worker_id = t.owner)) and not (${isSuspended(sql, sql`t.app_id`)})
      and (retry_at is null or retry_at <= now())
    order by (select count(*) from exports b where b.app_id = t.app_id and b.status = 'running'
      and b.owner is not null), created_at limit 1 for update skip locked
  ) d join apps a using (app_id)
  where x.app_id = d.app_id and x.export_id = d.export_id
  returning x.app_id as "appId", x.export_id as "exportId", x.external_user_ref as "externalUserRef", x.owner,
    x.attempts, to_json(d.object_keys) as left`

/** Whether the claim still holds. */
export const isMine = (sql: Sql, { appId, exportId, owner, attempts }: ClaimedExport) => sql`
  app_id = ${appId} and export_id = ${exportId} and owner = ${owner} and attempts = ${attempts}::int
    and status = 'running'`
