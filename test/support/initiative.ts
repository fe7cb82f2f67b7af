import type postgres from "postgres"
import type { TestApp } from "./TestApp.ts"
import { until } from "./until.ts"

/** Lets a session's character write first as soon as nothing else speaks against it. */
export const letWriteFirst = async (app: TestApp, sessionId: string, controls: object = {}) => {
  await app.patch(`/v1/apps/${app.appId}/proactive-policy`, { quiet_hours: [] })
  await app.patch(`/v1/sessions/${sessionId}/proactive-controls`, {
    proactive_enabled: true,
    proactivity_tolerance: 1,
    session_resume_enabled: false,
    ...controls
  })
}

/**
 * Looks now at whether a session's character writes first. A look passes over a session that is just being written to,
 * until the next minute, so what ended there is let be read before.
 */
export const lookAt = async (sql: postgres.Sql, sessionId: string) => {
  await until(
    "every turn to be read",
    async () =>
      (
        await sql`
    select 1 from turns t left join relationships r using (app_id, session_id)
    where t.session_id = ${sessionId} and t.outcome is not null and t.turn_index > coalesce(r.read_turn, 0)`
      ).length === 0
  )
  await sql`update relationships set initiate_at = now() where session_id = ${sessionId}`
  await sql`select graphile_worker.add_job('initiate')`
}

/** Has a session's past lie so many hours further back, and looks at what is due. */
export const passHours = async (sql: postgres.Sql, sessionId: string, hours: number) => {
  await sql`
    update session_logs set last_user_at = last_user_at -
      ${hours}::int * interval '1 hour',
        last_character_at = last_character_at - ${hours}::int * interval '1 hour' where session_id = ${sessionId}`
  await sql`
    update turns set accepted_at = accepted_at -
      ${hours}::int * interval '1 hour',
        settled_at = settled_at - ${hours}::int * interval '1 hour'
          where session_id = ${sessionId} and outcome is not null`
  await sql`update sessions set created_at = created_at -
    ${hours}::int * interval '1 hour' where session_id = ${sessionId}`
  await lookAt(sql, sessionId)
}
