import type postgres from "postgres"
import type { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

/** Lets a session's character write first as soon as no other gate prevents it. */
export const enableProactive = async (app: TestApp, sessionId: string, controls: object = {}) => {
  await app.patch(`/v1/apps/${app.appId}/proactive-policy`, { quiet_hours: [] })
  await app.patch(`/v1/sessions/${sessionId}/proactive-controls`, {
    proactive_enabled: true,
    proactivity_tolerance: 1,
    session_resume_enabled: false,
    ...controls
  })
}

/**
 * Runs the proactive check of a session now. A check skips a session that is being written to until the next minute, so
 * this first waits for the extraction of what has ended there.
 */
export const checkProactiveNow = async (sql: postgres.Sql, sessionId: string) => {
  await until(
    "memory extraction of every turn",
    async () =>
      (
        await sql`
    select 1 from turns t left join relationships r using (app_id, session_id)
    where t.session_id = ${sessionId} and t.outcome is not null and t.turn_index > coalesce(r.read_turn, 0)`
      ).length === 0
  )
  // One that runs would hold the row that the next one needs, and may have read what was true before.
  await until(
    "the check that runs",
    async () =>
      (await sql`select 1 from relationships where session_id = ${sessionId} and check_lease is not null`).length === 0
  )
  await sql`update relationships set initiate_at = now() where session_id = ${sessionId}`
  await sql`select graphile_worker.add_job('initiate')`
}

/** Moves a session's past back by this many hours, and runs the due checks. */
export const shiftIntoPast = async (sql: postgres.Sql, sessionId: string, hours: number) => {
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
  await checkProactiveNow(sql, sessionId)
}
