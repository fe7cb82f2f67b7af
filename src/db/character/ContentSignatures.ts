import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { SIGNING_KEY } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"

const NAME = "content"

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
      const secrets = yield* Secrets
      const draft = secrets.seal(SIGNING_KEY, [NAME], Redacted.make(randomBytes(32).toString("base64")))
      yield* query(
        (sql) => sql`insert into signing_keys (name, sealed) values (${NAME}, ${draft}) on conflict do nothing`
      )
      const [row] = yield* query<Array<{ sealed: Buffer }>>(
        (sql) => sql`select sealed from signing_keys where name = ${NAME}`
      )
      const key = yield* Effect.orDie(secrets.open(SIGNING_KEY, [NAME], row?.sealed ?? Buffer.alloc(0)))

      const sign = (appId: string, id: string) =>
        `${appId}.${createHmac("sha256", Buffer.from(Redacted.value(key), "base64"))
          .update(`${appId}\n${id}`)
          .digest("base64url")}`
      return ContentSignatures.of({
        sign,
        appOf: Effect.fnUntraced(function* (id: string, signature: string) {
          const appId = signature.slice(0, Math.max(0, signature.indexOf(".")))
          // Compares as text, because different texts can decode to the same bytes.
          const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(appId, id))]
          if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
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
