import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { discardObjects } from "#src/db/character/discardObjects.ts"
import { releaseHolds } from "#src/db/conversation/unansweredTurns.ts"

/** All tables with rows of a session. The session's own row is last. */
const TABLES = [
  "lanes",
  "delivery_attempts",
  "memory_terms",
  "memory_blocks",
  "turn_stages",
  "turns",
  "relationships",
  "relational_patches",
  "memories",
  "open_loops",
  "snapshots",
  "proactive_decisions",
  "scheduled_messages",
  "images",
  "storyline_steps",
  "graph_edges",
  "arc_influences",
  "events",
  "evidence",
  "session_logs",
  "sessions"
] as const

/** Deletes sessions with all their data in the caller's transaction, which has locked the allowances. */
export const eraseSessions = Effect.fnUntraced(function* (appId: string, sessionIds: ReadonlyArray<string>) {
  const { query } = yield* Database
  const ids = [...sessionIds].sort()
  yield* query(
    (sql) =>
      sql`select 1 from session_logs
        where app_id = ${appId} and session_id = any(${ids}::text[]) order by session_id for update`
  )
  yield* query(
    (sql) => sql`
    update worlds set revision = revision + 1
    where (app_id, slug) in (select w.app_id, w.slug from worlds w join sessions s on s.app_id = w.app_id
      and s.character_slug = w.slug where s.app_id =
        ${appId} and s.session_id = any(${ids}::text[]) order by w.slug for no key update of w)`
  )
  yield* query(
    (sql) =>
      sql`update telegram_chats set session_id = null where app_id = ${appId} and session_id = any(${ids}::text[])`
  )
  yield* query((sql) => releaseHolds(sql, appId, ids))
  yield* query(
    (sql) => sql`
    update allowances set sessions_erased_on = utc_today() where app_id = ${appId} and kind = 'end_user'
      and external_user_ref in (select external_user_ref from sessions
        where app_id = ${appId} and session_id = any(${ids}::text[]))`
  )
  // Evidence that was found in what they have said.
  yield* query(
    (sql) => sql`
    delete from findings f using finding_quotes q, evidence e
      where e.app_id = ${appId} and e.session_id = any(${ids}::text[])
      and q.app_id = e.app_id and q.slug = e.slug and q.evidence_id = e.evidence_id and f.app_id = q.app_id
        and f.slug = q.slug and f.finding_id = q.finding_id`
  )
  yield* query((sql) =>
    discardObjects(
      sql,
      appId,
      sql`select object_key from images where app_id = ${appId} and session_id = any(${ids}::text[])`
    )
  )
  // Responses to creates that belong to a session. They contain its text for a day.
  yield* query(
    (sql) => sql`
    delete from idempotency_keys where app_id =
      ${appId} and (path = any(${ids.flatMap((id) => [`/v1/sessions/${id}/memories`, `/v1/sessions/${id}/proactive/schedule`])}::text[])
      or (path = '/v1/images' or starts_with(path, '/v1/characters/'))
        and coalesce(response #>> '{data,session_id}', response #>> '{data,scope,session_id}',
          response #>> '{data,source,session_id}') = any(${ids}::text[]))`
  )
  for (const table of TABLES)
    yield* query((sql) => sql`delete from ${sql(table)} where app_id = ${appId} and session_id = any(${ids}::text[])`)
})
