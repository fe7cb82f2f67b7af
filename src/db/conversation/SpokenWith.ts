import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Character } from "#pipeline/domain/Character.ts"
import type { EndUser } from "#pipeline/domain/Turn.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "./Turns.ts"

/** Both sides of a session as they are now, and how far its log goes. */
export interface SpokenWithNow {
  readonly character: Character
  readonly endUser: EndUser
  readonly turnCount: number
  /** The last utterance of the log. Null if nothing was said. */
  readonly last: Utterance | null
}

interface Row {
  readonly slug: string
  readonly version: number
  readonly external_user_ref: string
  readonly display_name: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  readonly turn_count: number
  readonly last: readonly ["user" | "character", string, number, number] | null
}

/** Who speaks in a session, for work on it outside of a turn. */
export class SpokenWith extends Context.Service<
  SpokenWith,
  {
    /** Undefined: there is no such session. */
    readonly in: (session: SessionRef) => Effect.Effect<SpokenWithNow | undefined, DatabaseError>
  }
>()("src/db/conversation/SpokenWith") {
  static readonly layer = Layer.effect(
    SpokenWith,
    Effect.gen(function* () {
      const { query } = yield* Database
      const characters = yield* CharacterVersions
      return SpokenWith.of({
        in: Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef) {
          const [row] = yield* query<Array<Row>>(
            (sql) => sql`
        select c.slug, c.version, u.external_user_ref, u.display_name, u.timezone, u.locale, u.age_band, l.turn_count,
          (select json_build_array(e.role, e.payload ->> 'text', e.cursor,
            floor(extract(epoch from e.created_at) * 1000))
            from events e where e.app_id = s.app_id and e.session_id = s.session_id
            and e.type in ('message.created', 'character.initiated') order by e.cursor desc limit 1) as last
        from sessions s join session_logs l using (app_id, session_id)
          join characters c on c.app_id = s.app_id and c.slug = s.character_slug
          join end_users u on u.app_id = s.app_id and u.external_user_ref = s.external_user_ref
        where s.app_id = ${appId} and s.session_id = ${sessionId}`
          )
          if (row === undefined) return undefined
          return {
            character: yield* characters.get(appId, row.slug, row.version),
            endUser: {
              externalUserRef: row.external_user_ref,
              displayName: row.display_name,
              timezone: row.timezone,
              locale: row.locale,
              ageBand: row.age_band
            },
            turnCount: row.turn_count,
            last:
              row.last === null
                ? null
                : { role: row.last[0], text: row.last[1], cursor: row.last[2], at: new Date(row.last[3]) }
          }
        })
      })
    })
  )
}
