import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeSigner } from "#src/db/postgres/makeSigner.ts"

const START = "st_"
/** Longer text is not hashed. */
const MAX_CHARACTERS = 256
const SECONDS = /^[1-9]\d{0,11}$/

/** What a stream token permits: to read the events of one session, in the name of a key, until it expires. */
export interface StreamToken {
  readonly sessionId: string
  /** The prefix of the key that created it. The token ends with this key. */
  readonly prefix: string
  readonly expiresAtMs: number
}

/** Whether a text presents itself as a stream token. */
export const isStreamToken = (text: string | undefined): text is string => text?.startsWith(START) === true

/**
 * Tokens for browsers, which cannot keep a key. They are signed and not stored, so all of them expire soon. A proxy in
 * front of several cells finds the cell as with a key, by what follows `st_`.
 */
export class StreamTokens extends Context.Service<
  StreamTokens,
  {
    readonly mint: (token: StreamToken) => string
    /** What a token permits, even if it has expired. Null: it was not created here. */
    readonly read: (presented: string) => StreamToken | null
  }
>()("src/accounts/StreamTokens") {
  static readonly layer = Layer.effect(
    StreamTokens,
    Effect.gen(function* () {
      const signer = yield* makeSigner("stream")
      return StreamTokens.of({
        mint: ({ sessionId, prefix, expiresAtMs }) => {
          const claims = `${prefix}.${sessionId}.${Math.floor(expiresAtMs / 1000)}`
          return `${START}${claims}.${signer.sign(claims)}`
        },
        read: (presented) => {
          if (!isStreamToken(presented) || presented.length > MAX_CHARACTERS) return null
          const end = presented.lastIndexOf(".")
          const claims = presented.slice(START.length, Math.max(START.length, end))
          const [prefix = "", sessionId = "", seconds = ""] = claims.split(".")
          if (!SECONDS.test(seconds) || !signer.verify(claims, presented.slice(end + 1))) return null
          return { sessionId, prefix, expiresAtMs: Number(seconds) * 1000 }
        }
      })
    })
  )
}
