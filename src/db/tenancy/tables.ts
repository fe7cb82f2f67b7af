import type { PersonOf, SessionsOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"

/** Responses to creates that belong to a session. They contain its text for a day. */
const forgetAnswersOfSessions: Statement<SessionsOf> = (sql, { appId, sessionIds }) => {
  const ids = [...sessionIds]
  const paths = ids.flatMap((id) => [`/v1/sessions/${id}/memories`, `/v1/sessions/${id}/proactive/schedule`])
  return sql`
    delete from idempotency_keys where app_id = ${appId} and (path = any(${paths}::text[])
      or (path = '/v1/images' or starts_with(path, '/v1/characters/'))
        and coalesce(response #>> '{data,session_id}', response #>> '{data,scope,session_id}',
          response #>> '{data,source,session_id}') = any(${ids}::text[]))`
}
/** The answers to creates of a person's sessions, and of what weighs on a character with them. */
const forgetAnswersOfPerson: Statement<PersonOf> = (sql, { appId, externalUserRef }) => sql`
  delete from idempotency_keys where app_id = ${appId}
    and coalesce(response #>> '{data,external_user_ref}', response #>> '{data,scope,external_user_ref}')
      = ${externalUserRef}`

export const tables: ReadonlyArray<Table> = [
  {
    name: "idempotency_keys",
    owners: { app: "app_id" },
    erasure: { session: { instead: forgetAnswersOfSessions }, traces: { instead: forgetAnswersOfPerson } }
  },
  {
    name: "api_keys",
    owners: { app: "app_id" },
    erasure: { app: { kept: "a key is told for ever that it has expired; only its hash is stored" } }
  },
  {
    name: "audit_log",
    owners: { app: "app_id" },
    erasure: { app: { kept: "append-only: what was changed stays on the books" } }
  },
  { name: "apps", owners: { app: "app_id" } },
  { name: "account_tokens", owners: {} },
  { name: "device_sign_ins", owners: {} },
  { name: "device_codes", owners: {} },
  { name: "accounts", owners: {} },
  { name: "rolling_limits", owners: {} },
  { name: "rate_windows", owners: {} }
]
