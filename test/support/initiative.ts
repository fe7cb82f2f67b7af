import type postgres from "postgres"
import type { TestApp } from "./TestApp.ts"

/** Lets a session's character write first as soon as nothing else speaks against it. */
export const letWriteFirst = async (app: TestApp, sessionId: string, controls: object = {}) => {
  await app.patch(`/v1/apps/${app.appId}/proactive-policy`, { quiet_hours: [] })
  await app.patch(`/v1/sessions/${sessionId}/proactive-controls`, { proactive_enabled: true, proactivity_tolerance: 1, session_resume_enabled: false, ...controls })
}

/** Has a session's past lie so many hours further back, and looks at what is due. */
export const passHours = async (sql: postgres.Sql, sessionId: string, hours: number) => {
  await sql`
    update session_logs set last_user_at = last_user_at - ${hours}::int * interval '1 hour', last_character_at = last_character_at - ${hours}::int * interval '1 hour' where session_id = ${sessionId}`
  await sql`
    update turns set accepted_at = accepted_at - ${hours}::int * interval '1 hour', settled_at = settled_at - ${hours}::int * interval '1 hour' where session_id = ${sessionId} and outcome is not null`
  await sql`update sessions set created_at = created_at - ${hours}::int * interval '1 hour' where session_id = ${sessionId}`
  await sql`update relationships set initiate_at = now() where session_id = ${sessionId}`
  await sql`select graphile_worker.add_job('initiate')`
}
