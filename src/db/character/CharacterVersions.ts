import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Character } from "#pipeline/domain/Character.ts"
import { withStatedAge } from "#pipeline/safety/cardAge.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

const decode = Schema.decodeUnknownEffect(Character)

/**
 * Versions never change, so a cached copy cannot be stale. If a character's text states an age under 18, the character
 * is returned as a minor.
 */
export class CharacterVersions extends Context.Service<
  CharacterVersions,
  {
    readonly get: (appId: string, slug: string, version: number) => Effect.Effect<Character, DatabaseError>
  }
>()("src/db/character/CharacterVersions") {
  static readonly layer = Layer.effect(
    CharacterVersions,
    Effect.gen(function* () {
      const { query } = yield* Database
      const cache = yield* Cache.makeWith(
        Effect.fnUntraced(function* (key: string) {
          const [appId = "", slug = "", version = ""] = key.split("\n")
          const [row] = yield* query<Array<{ profile: object }>>(
            (sql) => sql`
          select profile from character_versions
            where app_id = ${appId} and slug = ${slug} and version = ${Number(version)}`
          )
          return withStatedAge(yield* decode({ ...row?.profile, slug }).pipe(Effect.orDie))
        }),
        { capacity: 1000, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero) }
      )
      return CharacterVersions.of({ get: (appId, slug, version) => Cache.get(cache, `${appId}\n${slug}\n${version}`) })
    })
  )
}
