import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { includesRole, type OperatorRole } from "#src/accounts/Operator.ts"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import type { Refusal } from "#src/db/operators/bearerWindows.ts"
import { SignInAttempts } from "#src/db/operators/SignInAttempts.ts"
import type { RollingLimit } from "#src/db/tenancy/RollingLimits.ts"
import type { ApiError } from "./ApiError.ts"
import { bearersLimited, missingOperatorToken, operatorRoleTooLow } from "./errors.ts"
import { clientAddress } from "./limits/clientAddress.ts"
import { clientWindows } from "./limits/Cost.ts"
import { ATTEMPTS, WRONG_TOKENS } from "./limits/operatorAttempts.ts"
import { operatorCookieOf } from "./operatorCookie.ts"

/** Counts a request of an address. Returns the error that refuses it, or null. */
type Count = () => ApiError | null

const counted = (count: Count) =>
  Effect.suspend(() => {
    const refused = count()
    return refused === null ? Effect.void : Effect.fail(refused)
  })

const method = "bearer"

/** The answer is the same if the database takes no entry. */
const recordBearer = ({ ip }: FastifyRequest, reason: "wrong" | "too_many") =>
  Effect.ignore(SignInAttempts.use((attempts) => attempts.record({ address: clientAddress(ip), method, reason })))

const limitBearers = Effect.fnUntraced(function* (request: FastifyRequest, { seconds, isNews }: Refusal) {
  if (isNews) yield* recordBearer(request, "too_many")
  else yield* SignInAttempts.use((attempts) => attempts.countFailure({ method, reason: "too_many" }))
  return yield* bearersLimited(seconds)
})

const refuseBearer = Effect.fnUntraced(function* (request: FastifyRequest, windows: ReadonlyArray<RollingLimit>) {
  const refusal = yield* SignInAttempts.use((attempts) => attempts.countBearer(windows))
  if (refusal !== null) return yield* limitBearers(request, refusal)
  yield* recordBearer(request, "wrong")
  return yield* missingOperatorToken
})

/**
 * Authenticates a request of an operator: by its bearer, or else by the cookie of a session. Requests with a bearer
 * that could be a guess count towards the limit of their address before it is checked, and others if they are refused.
 * An address with too many wrong bearers has to wait, also with the right one, or the limit would tell which it is.
 */
export const authenticateOperator = Effect.fnUntraced(function* (
  request: FastifyRequest,
  { role, baseUrl, count }: { readonly role: OperatorRole; readonly baseUrl: string; readonly count: Count }
) {
  const authentication = yield* OperatorAuthentication
  const { authorization } = request.headers
  const isGuessable = authentication.isGuessable(authorization)
  const windows = clientWindows(request, isGuessable ? ATTEMPTS : WRONG_TOKENS)
  if (isGuessable) {
    yield* counted(count)
    const refusal = yield* SignInAttempts.use((attempts) => attempts.refusesBearers(windows))
    if (refusal !== null) return yield* limitBearers(request, refusal)
  }
  const authenticated =
    authorization === undefined
      ? authentication.byCookie(operatorCookieOf(request, baseUrl))
      : authentication.byBearer(authorization)
  const operator = yield* Effect.catchTag(authenticated, "OperatorUnauthenticated", () =>
    Effect.andThen(
      isGuessable ? Effect.void : counted(count),
      authorization === undefined ? Effect.fail(missingOperatorToken) : refuseBearer(request, windows)
    )
  )
  if (!includesRole(operator.role, role)) return yield* operatorRoleTooLow(operator.role, role)
  return operator
})
