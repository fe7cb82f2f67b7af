import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/** Deletes exports. A job deletes their ZIPs from the storage once the caller's transaction is committed. */
export const dropExports = (sql: Sql, which: Query) => sql`
  with gone as (
    delete from exports where ${which} returning app_id, object_keys
  ), discarded as (
    update stored_objects o set status = 'discarded', changed_at = now() from gone g
      where o.app_id = g.app_id and o.object_key = any(g.object_keys) and o.status <> 'discarded' returning 1
  )
  select graphile_worker.add_job('objects', '{}'::json, job_key := 'objects') from (select from discarded limit 1) one`

export const dropExportOf = (sql: Sql, appId: string, externalUserRef: string) =>
  dropExports(sql, sql`app_id = ${appId} and external_user_ref = ${externalUserRef}`)
