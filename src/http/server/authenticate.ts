import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { Authentication, type Unauthenticated } from "#src/accounts/Authentication.ts"
import type { ApiError } from "./ApiError.ts"
import { authenticateStreamToken, sentStreamToken } from "./authenticateStreamToken.ts"
import {
  accountTokenUsed,
  apiKeyExpired,
  appMoves,
  appSuspended,
  idpKeyUsed,
  invalidKey,
  missingBearer,
  otherCell
} from "./errors.ts"

const unauthenticated: Record<Unauthenticated["reason"], ApiError> = {
  missing: missingBearer,
  invalid_key: invalidKey,
  expired_key: apiKeyExpired,
  account_token: accountTokenUsed,
  idp_key: idpKeyUsed
}

/** Authenticates the request by its bearer, or by a stream token. */
export const authenticate = Effect.fnUntraced(
  function* (request: FastifyRequest) {
    const token = sentStreamToken(request)
    if (token !== undefined) return yield* authenticateStreamToken(request, token)
    return yield* Authentication.use(({ authenticate: byKey }) => byKey(request.headers.authorization))
  },
  Effect.catchTags({
    Unauthenticated: ({ reason }) => Effect.fail(unauthenticated[reason]),
    AppMoves: () => Effect.fail(appMoves),
    OtherCell: ({ cell }) => Effect.fail(otherCell(cell)),
    AppSuspended: ({ reason }) => Effect.fail(appSuspended(reason))
  })
)
