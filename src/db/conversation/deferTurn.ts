import type { Sql } from "#src/db/postgres/Database.ts"

/** Postpones a turn once until it is due, and schedules a job for that time. */
export const writeDeferred = (
  sql: Sql,
  app: string,
  session: string,
  turn: number,
  owner: string,
  fence: number,
  dueAt: Date
) => sql`
  with deferred as (
    update turns set owner = null, deferred = true, due_at = case when stopped then now()
      else ${dueAt.toISOString()}::timestamptz end
    where app_id = ${app} and session_id =
      ${session} and turn_index = ${turn}::int and owner = ${owner} and fence = ${fence}::int and outcome is null
    returning app_id, session_id, due_at
  )
  select graphile_worker.add_job('turn', json_build_object('sessions', json_build_array(json_build_array(app_id,
    session_id))), run_at := due_at) from deferred`
