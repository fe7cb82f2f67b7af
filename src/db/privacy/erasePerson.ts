import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import { personMark } from "#src/db/conversation/personMarks.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { eraseServiceLogsOf } from "./eraseServiceLogs.ts"
import { erase } from "#src/db/postgres/catalogue/erase.ts"

/**
 * Deletes what else is stored about a person apart from their sessions (eraseSessions), in the caller's transaction.
 */
export const eraseTraces = (appId: string, externalUserRef: string) =>
  Effect.andThen(eraseServiceLogsOf(appId, externalUserRef), erase("traces", { appId, externalUserRef }))

/** Deletes what is left of a person without sessions. Who has come back keeps what is new. */
export const eraseRest = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
  const { query } = yield* Database
  const person = { appId, externalUserRef }
  yield* eraseTraces(appId, externalUserRef)
  yield* erase("chats", person)
  yield* query(
    (sql) => sql`select 1 from end_users where app_id = ${appId} and external_user_ref = ${externalUserRef} for update`
  )
  const back = yield* query(
    (sql) => sql`select 1 from sessions where app_id = ${appId} and external_user_ref = ${externalUserRef} limit 1`
  )
  if (back.length === 0) yield* erase("person", person)
})

/** The receipt of an erasure that is done already, by which it can be repeated after a restore. */
export const insertDoneErasure = (sql: Sql, appId: string, externalUserRef: string) => sql`
  insert into erasures (app_id, erasure_id, status, mark, created_at, completed_at)
  values (${appId}, ${newId("ers")}, 'completed', ${personMark(sql, appId, externalUserRef)}, clock_timestamp(),
    clock_timestamp())`

/**
 * Deletes what the app has stored about a person. That they are a minor is kept, so that erasure does not remove the
 * protection.
 */
export const blankPerson = (sql: Sql, appId: string, externalUserRef: string) => sql`
  update end_users set display_name = null, timezone = null, locale = null,
    age_band = case age_band when 'minor' then 'minor' else 'unknown' end
  where app_id = ${appId} and external_user_ref = ${externalUserRef}`
