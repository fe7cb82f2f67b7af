import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Database } from "#src/db/postgres/Database.ts"

/** The greeting that this person last had from this character. Null: there was none. */
export const lastGreeting = (
  { query }: Context.Service.Shape<typeof Database>,
  appId: string,
  { characterSlug, externalUserRef }: { readonly characterSlug: string; readonly externalUserRef: string }
) =>
  Effect.map(
    query<Array<{ text: string | null }>>(
      (sql) => sql`
        select e.payload ->> 'text' as text from sessions s
        join events e on e.app_id = s.app_id and e.session_id = s.session_id and e.cursor = 1
        where s.app_id = ${appId} and s.external_user_ref = ${externalUserRef}
          and s.character_slug = ${characterSlug} and e.source_kind = 'greeting'
        order by s.session_id desc limit 1`
    ),
    ([row]) => row?.text ?? null
  )
