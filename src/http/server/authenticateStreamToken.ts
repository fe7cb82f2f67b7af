import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { Authentication } from "#src/accounts/Authentication.ts"
import { bearerOf } from "#src/accounts/bearer.ts"
import { isStreamToken, StreamTokens } from "#src/accounts/StreamTokens.ts"
import {
  keyInUrl,
  streamTokenEnded,
  streamTokenExpired,
  streamTokenInvalid,
  streamTokenNotAllowed,
  streamTokenOfOtherSession
} from "./streamTokenErrors.ts"

const KEY = /^(?:ck|lat|op)_/

/** What was sent as a stream token: the bearer, or `token` in the query if there is no Authorization. */
export const sentStreamToken = ({ headers: { authorization }, query, routeOptions }: FastifyRequest): unknown => {
  if (authorization !== undefined) {
    const bearer = bearerOf(authorization)
    return isStreamToken(bearer) ? bearer : undefined
  }
  const { token } = query as { readonly token?: unknown }
  const isMeant = routeOptions.config.streamToken === true || (typeof token === "string" && isStreamToken(token))
  return isMeant ? token : undefined
}

/** Authenticates the request by a stream token, in the name of the key that created it. */
export const authenticateStreamToken = Effect.fnUntraced(function* (request: FastifyRequest, sent: unknown) {
  if (request.routeOptions.config.streamToken !== true) return yield* streamTokenNotAllowed
  const text = typeof sent === "string" ? sent : ""
  const token = yield* StreamTokens.useSync(({ read }) => read(text))
  if (token === null) return yield* KEY.test(text) ? keyInUrl : streamTokenInvalid
  if (token.expiresAtMs <= (yield* Clock.currentTimeMillis)) return yield* streamTokenExpired
  const { session_id: sessionId } = request.params as { readonly session_id?: string }
  if (sessionId !== token.sessionId) return yield* streamTokenOfOtherSession
  const principal = yield* Authentication.use(({ inNameOf }) => inNameOf(token.prefix)).pipe(
    Effect.catchTag("Unauthenticated", () => Effect.fail(streamTokenEnded))
  )
  request.streamToken = token
  return principal
})
