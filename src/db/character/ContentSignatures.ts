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
 * Signatures in the addresses of contents, which are read without a key of the API. An address stands in logs that do
 * not change, so its signature does not expire and its key is never replaced: it ends when what it shows is deleted.
 */
export class ContentSignatures extends Context.Service<
  ContentSignatures,
  {
    readonly sign: (appId: string, id: string) => string
    /** Whose the content is; null: this is no signature of it. */
    readonly appOf: (id: string, signature: string) => string | null
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
        appOf: (id, signature) => {
          const appId = signature.slice(0, Math.max(0, signature.indexOf(".")))
          // As text: other texts are the same bytes.
          const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(appId, id))]
          return given.length === wanted.length && timingSafeEqual(given, wanted) ? appId : null
        }
      })
    })
  ) satisfies Layer.Layer<ContentSignatures, DatabaseError, Database | Secrets>
}
