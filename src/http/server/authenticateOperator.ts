import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { includesRole, type OperatorRole } from "#src/accounts/Operator.ts"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import type { ApiError } from "./ApiError.ts"
import { missingOperatorToken, operatorRoleTooLow } from "./errors.ts"
import { operatorCookieOf } from "./operatorCookie.ts"

/** Counts a request of an address. Returns the error that refuses it, or null. */
type Count = () => ApiError | null

const counted = (count: Count) =>
  Effect.suspend(() => {
    const refused = count()
    return refused === null ? Effect.void : Effect.fail(refused)
  })

/**
 * Authenticates a request of an operator: by its bearer, or else by the cookie of a session. Requests with a bearer
 * that could be a guess count towards the limit of their address before it is checked, and others if they are refused.
 */
export const authenticateOperator = Effect.fnUntraced(function* (
  request: FastifyRequest,
  { role, baseUrl, count }: { readonly role: OperatorRole; readonly baseUrl: string; readonly count: Count }
) {
  const authentication = yield* OperatorAuthentication
  const { authorization } = request.headers
  const isGuessable = authentication.isGuessable(authorization)
  if (isGuessable) yield* counted(count)
  const authenticated =
    authorization === undefined
      ? authentication.byCookie(operatorCookieOf(request, baseUrl))
      : authentication.byBearer(authorization)
  const operator = yield* Effect.catchTag(authenticated, "OperatorUnauthenticated", () =>
    Effect.andThen(isGuessable ? Effect.void : counted(count), Effect.fail(missingOperatorToken))
  )
  if (!includesRole(operator.role, role)) return yield* operatorRoleTooLow(operator.role, role)
  return operator
})
