import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { makeSigner } from "#src/db/postgres/makeSigner.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"

/**
 * Signatures in content URLs, which work without an API key. The URLs are in immutable logs, so signatures do not
 * expire and their key is never rotated. A URL is valid until its content is deleted, and not while its app is
 * suspended.
 */
export class ContentSignatures extends Context.Service<
  ContentSignatures,
  {
    readonly sign: (appId: string, id: string) => string
    /** The app that the content belongs to. Null: the signature is invalid, or the operator has suspended the app. */
    readonly appOf: (id: string, signature: string) => Effect.Effect<string | null, DatabaseError>
  }
>()("src/db/character/ContentSignatures") {
  static readonly layer = Layer.effect(
    ContentSignatures,
    Effect.gen(function* () {
      const { query } = yield* Database
      const signer = yield* makeSigner("content")

      const textOf = (appId: string, id: string) => `${appId}\n${id}`
      return ContentSignatures.of({
        sign: (appId, id) => `${appId}.${signer.sign(textOf(appId, id))}`,
        appOf: Effect.fnUntraced(function* (id: string, signature: string) {
          const end = signature.indexOf(".")
          const appId = signature.slice(0, Math.max(0, end))
          if (!signer.verify(textOf(appId, id), signature.slice(end + 1))) return null
          const suspensions = yield* query(
            (sql) => sql`
            select 1 from telegram_holds where scope = ${appId} and kind = 'app' and released_at is null`
          )
          return suspensions.length === 0 ? appId : null
        })
      })
    })
  ) satisfies Layer.Layer<ContentSignatures, DatabaseError, Database | Secrets>
}
