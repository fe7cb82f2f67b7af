import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as z from "zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { newSecret } from "#channels/webhook/newSecret.ts"
import { validationError } from "#src/http/server/errors.ts"
import { countCharacters } from "#src/http/server/schemas/text.ts"

const MIN_SECRET = 16
const MAX_SECRET = 256
const MAX_TOKEN = 2048
/** In a PATCH, what asks for a new secret. */
export const ROTATE = "rotate"

const isSigningSecret = (text: string) => {
  const length = countCharacters(text)
  return length >= MIN_SECRET && length <= MAX_SECRET
}
/** It is sent in a header. */
const isToken = (text: string) => text.length <= MAX_TOKEN && /^[!-~]+$/.test(text)

const bounds = `${MIN_SECRET} to ${MAX_SECRET} characters`
const tokenBounds = `1 to ${MAX_TOKEN} visible ASCII characters`
const SIGNING = `${bounds}. whsec_ and base64: the key is the decoded bytes. Otherwise, the key is the text itself`

/** The secret of a new channel of a kind. */
export const secretOnCreate = ({ secret }: ChannelKind) =>
  secret === "token"
    ? z
        .string()
        .refine(isToken, `Must be ${tokenBounds}`)
        .meta({ description: `The token that the receiver issued: ${tokenBounds}`, minLength: 1, maxLength: MAX_TOKEN })
    : z
        .string()
        .refine(isSigningSecret, `Must be ${bounds}`)
        .optional()
        .meta({ description: `${SIGNING}. Created if absent`, minLength: MIN_SECRET, maxLength: MAX_SECRET })

/** The secret in a PATCH. Which of the kinds the channel is of is not known yet. */
export const secretOnChange = (kinds: ReadonlyArray<ChannelKind>) => {
  const tokens = kinds.some(({ secret }) => secret === "token")
  const ofToken = tokens ? `. Of a kind with a token: a new token of the receiver, ${tokenBounds}` : ""
  return z
    .string()
    .refine((text) => text === ROTATE || isSigningSecret(text) || (tokens && isToken(text)), {
      error: `Must be ${ROTATE}, or ${bounds}`
    })
    .optional()
    .meta({ description: `${ROTATE}: a new secret is created. Or ${SIGNING}${ofToken}`, examples: [ROTATE] })
}

/** The secret that a request gives or asks for, by the kind of its channel. */
export const readSecret = Effect.fnUntraced(function* ({ secret }: ChannelKind, given: string | undefined) {
  if (secret === "token") {
    if (given === undefined || given === ROTATE)
      return yield* validationError(
        "body.secret: The secret of this channel is a token of the receiver, so it can't be created here.",
        "Create a new token at the receiver, and send it as secret."
      )
    if (!isToken(given)) return yield* validationError(`body.secret: Must be ${tokenBounds}`)
  } else if (given === undefined || given === ROTATE) return newSecret()
  else if (!isSigningSecret(given)) return yield* validationError(`body.secret: Must be ${ROTATE}, or ${bounds}`)
  return Redacted.make(given)
})

/** What the answer that sets a secret shows of it: one that the app may have to store, never a token. */
export const shownOnce = ({ secret }: ChannelKind, set: Redacted.Redacted<string> | undefined) =>
  secret === "token" || set === undefined ? {} : { shownOnce: { secret: Redacted.value(set) } }
