import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Database } from "./Database.ts"
import { Secrets } from "./Secrets.ts"
import { SIGNING_KEY } from "./sealedColumns.ts"

/** Signs texts that others keep for us, and recognizes its signatures. */
export interface Signer {
  readonly sign: (text: string) => string
  readonly verify: (text: string, signature: string) => boolean
}

/** A signer with the key of this name. All processes share the key. The first one creates it. */
export const makeSigner = Effect.fnUntraced(function* (name: string) {
  const { query } = yield* Database
  const secrets = yield* Secrets
  const draft = secrets.seal(SIGNING_KEY, [name], Redacted.make(randomBytes(32).toString("base64")))
  yield* query((sql) => sql`insert into signing_keys (name, sealed) values (${name}, ${draft}) on conflict do nothing`)
  const [row] = yield* query<Array<{ sealed: Buffer }>>(
    (sql) => sql`select sealed from signing_keys where name = ${name}`
  )
  const key = yield* Effect.orDie(secrets.open(SIGNING_KEY, [name], row?.sealed ?? Buffer.alloc(0)))

  const sign = (text: string) =>
    createHmac("sha256", Buffer.from(Redacted.value(key), "base64"))
      .update(text)
      .digest("base64url")
  const signer: Signer = {
    sign,
    verify: (text, signature) => {
      // Compares as text, because different texts can decode to the same bytes.
      const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(text))]
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    }
  }
  return signer
})
