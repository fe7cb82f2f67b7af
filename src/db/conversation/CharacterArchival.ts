import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { endSessions } from "./endSessions.ts"

const REASON = "character_archived"

/** Archives a character and, if requested, ends its sessions, in one transaction. */
export class CharacterArchival extends Context.Service<
  CharacterArchival,
  {
    /**
     * Its sessions continue unless they are to be ended. In that case each gets a `session.exited`. Undefined: no such
     * character.
     */
    readonly archive: (
      appId: string,
      slug: string,
      endSessions: boolean
    ) => Effect.Effect<StoredCharacter | undefined, DatabaseError>
  }
>()("src/db/conversation/CharacterArchival") {
  static readonly layer = Layer.effect(
    CharacterArchival,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction, afterCommit } = database
      const characters = yield* Characters
      const signals = yield* LogSignals

      const endSessionsOf = Effect.fnUntraced(function* (appId: string, slug: string) {
        const all = yield* query<Array<{ session_id: string }>>(
          (sql) => sql`select session_id from sessions where app_id = ${appId} and character_slug = ${slug}`
        )
        return yield* endSessions(
          appId,
          all.map((row) => row.session_id),
          REASON
        ).pipe(Effect.provideService(Database, database))
      })

      const archive = Effect.fnUntraced(
        function* (appId: string, slug: string, endSessions: boolean) {
          yield* characters.archive(appId, slug)
          const ended = endSessions ? yield* endSessionsOf(appId, slug) : []
          return { character: yield* characters.get(appId, slug), ended }
        },
        transaction,
        Effect.flatMap(({ character, ended }) =>
          Effect.as(
            afterCommit(() => signals.announce(ended, true)),
            character
          )
        )
      )

      return CharacterArchival.of({ archive })
    })
  )
}
