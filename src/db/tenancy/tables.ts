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
    retention: { bounded: "24 hours" },
    owners: { app: "app_id" },
    erasure: { session: { instead: forgetAnswersOfSessions }, traces: { instead: forgetAnswersOfPerson } }
  },
  {
    name: "api_keys",
    retention: { kept: "a key is told forever that it has ended; one row for each key" },
    owners: { app: "app_id" },
    erasure: { app: { kept: "a key is told for ever that it has expired; only its hash is stored" } }
  },
  {
    name: "audit_log",
    retention: { kept: "who changed what; append-only" },
    owners: { app: "app_id" },
    moved: { stays: "append-only: who changed what in a cell" },
    erasure: { app: { kept: "append-only: what was changed stays on the books" } }
  },
  {
    name: "moved_keys",
    retention: { kept: "a key leads to its app for ever; one row for each key of an app that has moved away" },
    owners: { app: "app_id" },
    erasure: { app: { kept: "where the app has moved to" } },
    moved: { stays: "where the app has moved to" }
  },
  { name: "apps", retention: { bounded: "one row for each app" }, owners: { app: "app_id" } },
  {
    name: "account_tokens",
    retention: { kept: "a token is told forever that it has ended; one row for each token" },
    owners: {}
  },
  { name: "device_sign_ins", retention: { bounded: "until the device code expires" }, owners: {} },
  { name: "device_codes", retention: { bounded: "until they expire" }, owners: {} },
  { name: "accounts", retention: { bounded: "one row for each account" }, owners: {} },
  { name: "rolling_limits", retention: { bounded: "until the window is over" }, owners: {} },
  { name: "rate_windows", retention: { bounded: "until the window is over" }, owners: {} }
]
