import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as z from "zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { MAX_SECRET, MIN_SECRET, newSecret, problemOf, SECRET_FORM } from "#channels/webhook/secret.ts"
import { validationError } from "#src/http/server/errors.ts"

const MAX_TOKEN = 2048
/** In a PATCH, what asks for a new secret. */
export const ROTATE = "rotate"

/** It is sent in a header. */
const isToken = (text: string) => text.length <= MAX_TOKEN && /^[!-~]+$/.test(text)

const tokenBounds = `1 to ${MAX_TOKEN} visible ASCII characters`

const problemOnChange = (text: string) => `${problemOf(text) ?? ""}. Or ${ROTATE}: a new secret is created`

/** The secret of a new channel of a kind. */
export const secretOnCreate = ({ secret }: ChannelKind) =>
  secret === "token"
    ? z
        .string()
        .refine(isToken, `Must be ${tokenBounds}`)
        .meta({ description: `The token that the receiver issued: ${tokenBounds}`, minLength: 1, maxLength: MAX_TOKEN })
    : z
        .string()
        .refine((text) => problemOf(text) === null, { error: ({ input }) => problemOf(String(input)) ?? "" })
        .optional()
        .meta({ description: `${SECRET_FORM}. Created if absent`, minLength: MIN_SECRET, maxLength: MAX_SECRET })

/** The secret in a PATCH. Which of the kinds the channel is of is not known yet. */
export const secretOnChange = (kinds: ReadonlyArray<ChannelKind>) => {
  const tokens = kinds.some(({ secret }) => secret === "token")
  const ofToken = tokens ? `. Of a kind with a token: a new token of the receiver, ${tokenBounds}` : ""
  return z
    .string()
    .refine((text) => text === ROTATE || problemOf(text) === null || (tokens && isToken(text)), {
      error: ({ input }) => problemOnChange(String(input))
    })
    .optional()
    .meta({ description: `${ROTATE}: a new secret is created. Or ${SECRET_FORM}${ofToken}`, examples: [ROTATE] })
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
  else if (problemOf(given) !== null) return yield* validationError(`body.secret: ${problemOnChange(given)}`)
  return Redacted.make(given)
})

/** What the answer that sets a secret shows of it: one that the app may have to store, never a token. */
export const shownOnce = ({ secret }: ChannelKind, set: Redacted.Redacted<string> | undefined) =>
  secret === "token" || set === undefined ? {} : { shownOnce: { secret: Redacted.value(set) } }
