import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/** Removes these objects from the storage after the caller's transaction commits. `keys` returns them as a column. */
export const discardObjects = (sql: Sql, app: string, keys: postgres.PendingQuery<postgres.Row[]>) => sql`
  with gone as (
    update stored_objects set status = 'discarded', changed_at = now()
      where app_id = ${app} and object_key in (${keys}) and status <> 'discarded' returning 1
  )
  select graphile_worker.add_job('objects', '{}'::json, job_key := 'objects') from (select from gone limit 1) one`
