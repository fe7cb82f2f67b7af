import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type ForgottenWords, withoutForgotten } from "#pipeline/relational/forget.ts"
import type { Patch } from "#pipeline/relational/Patch.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import type { Database } from "#src/db/postgres/Database.ts"

/** Removes forgotten words from what was written earlier. */
export const makeForgetText = ({ query }: Context.Service.Shape<typeof Database>) =>
  Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, gone: ForgottenWords) {
    const ids = [...gone.ids]
    // From the first patch of that time on. A turn that was extracted late gives a patch with an earlier time than
    // those before it.
    const rows = yield* query<Array<{ version: number; at: Date; patch: Patch }>>(
      (sql) => sql`
    select version, at, patch from relational_patches where app_id = ${appId} and session_id = ${sessionId}
      and version >= (select min(version) from relational_patches
        where app_id = ${appId} and session_id = ${sessionId} and at >= ${gone.since}::timestamptz)`
    )
    const since = new Date(Math.min(Date.parse(gone.since), ...rows.map(({ at }) => at.getTime())))
    for (const { version, patch } of rows) {
      yield* query(
        (sql) => sql`
      update relational_patches set patch =
        ${JSON.stringify(withoutForgotten(patch, gone))}::text::json
          where app_id = ${appId} and session_id = ${sessionId} and version = ${version}::int`
      )
    }
    yield* query(
      (sql) => sql`
    update snapshots set snapshot = jsonb_set(snapshot::jsonb, '{summary}', '""')::json
      where app_id = ${appId} and session_id = ${sessionId} and created_at >= ${since}`
    )
    yield* query(
      (sql) => sql`
    update turns set initiative = jsonb_set(initiative::jsonb, '{about}', 'null')::json
    where app_id = ${appId} and session_id =
      ${sessionId} and initiative ->> 'about' = any(${[...gone.abouts]}::text[])`
    )
    // Responses to creates are stored for a day.
    yield* query(
      (sql) => sql`
    delete from idempotency_keys where app_id =
      ${appId} and path = ${`/v1/sessions/${sessionId}/memories`}
        and response #>> '{data,id}' = any(${ids}::text[])`
    )
  })
