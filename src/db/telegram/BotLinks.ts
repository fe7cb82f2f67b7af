import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash, randomBytes } from "node:crypto"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

const MINUTES = 15

export const linkHash = (code: string) => createHash("sha256").update(code).digest()

/**
 * Codes that tell a bot which of the app's users it is talking to. For `/start`, valid once and for a quarter of an
 * hour.
 */
export class BotLinks extends Context.Service<
  BotLinks,
  {
    readonly create: (
      appId: string,
      channelId: string,
      externalUserRef: string
    ) => Effect.Effect<{ readonly code: string; readonly expiresAt: Date }, DatabaseError>
    /** The user of the code, for the first who presents it. */
    readonly use: (appId: string, channelId: string, code: string) => Effect.Effect<string | undefined, DatabaseError>
  }
>()("src/db/telegram/BotLinks") {
  static readonly layer = Layer.effect(
    BotLinks,
    Effect.gen(function* () {
      const { query } = yield* Database
      return BotLinks.of({
        create: Effect.fnUntraced(function* (appId, channelId, externalUserRef) {
          const code = randomBytes(24).toString("base64url")
          yield* query(
            (sql) =>
              sql`delete from telegram_links
                where app_id = ${appId} and channel_id = ${channelId} and expires_at < now()`
          )
          const [row] = yield* query<Array<{ expires_at: Date }>>(
            (sql) => sql`
          insert into telegram_links (code_hash, app_id, channel_id, external_user_ref, expires_at)
          values (${linkHash(code)}, ${appId},
            ${channelId}, ${externalUserRef}, now() + ${MINUTES}::int * interval '1 minute') returning expires_at`
          )
          return { code, expiresAt: row?.expires_at ?? new Date(0) }
        }),
        use: (appId, channelId, code) =>
          query<Array<{ external_user_ref: string }>>(
            (sql) => sql`
        update telegram_links set used_at = now()
        where code_hash = ${linkHash(code)}
          and app_id = ${appId} and channel_id = ${channelId} and used_at is null and expires_at > now()
        returning external_user_ref`
          ).pipe(Effect.map(([row]) => row?.external_user_ref))
      })
    })
  )
}
