import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { ADMIN_TOKEN, CONSOLE_LINK } from "#src/accounts/Operator.ts"
import { ConsoleCodes } from "#src/db/operators/ConsoleCodes.ts"
import { SignInAttempts } from "#src/db/operators/SignInAttempts.ts"
import { OperatorSessions, type SignedIn, type SignInMethod } from "#src/db/operators/OperatorSessions.ts"
import { clientWindows } from "#src/http/server/limits/Cost.ts"
import { bareAddress, clientAddress } from "#src/http/server/limits/clientAddress.ts"
import { ATTEMPTS } from "#src/http/server/limits/operatorAttempts.ts"
import { operatorCookieOf } from "#src/http/server/operatorCookie.ts"

/** `tooMany`: try again after so many seconds. */
export type Attempt =
  | { readonly _tag: "signedIn"; readonly cookie: string }
  | { readonly _tag: "refused" }
  | { readonly _tag: "tooMany"; readonly seconds: number }

/** Begins a session for a browser, in the place of the one that it had. */
const begin = Effect.fnUntraced(function* (
  request: FastifyRequest,
  baseUrl: string,
  signedIn: Omit<SignedIn, "address" | "userAgent">
) {
  const authentication = yield* OperatorAuthentication
  const before = yield* authentication
    .byCookie(operatorCookieOf(request, baseUrl))
    .pipe(Effect.catchTag("OperatorUnauthenticated", () => Effect.succeed(null)))
  const userAgent = request.headers["user-agent"] ?? null
  const { cookie } = yield* OperatorSessions.use((sessions) =>
    sessions.begin({ ...signedIn, address: bareAddress(request.ip), userAgent }, before?.sessionId ?? null)
  )
  return { _tag: "signedIn", cookie } satisfies Attempt
})

/** Records a failed attempt, without an entry for each: an attacker makes many. */
export const recordFailure = ({ ip }: FastifyRequest, method: SignInMethod, reason: "wrong" | "too_many") =>
  SignInAttempts.use((attempts) => attempts.record({ address: clientAddress(ip), method, reason }))

/**
 * Signs in with ADMIN_TOKEN. It is counted before it is checked, or many guesses at the same time would not be limited,
 * and given back if it is right.
 */
export const signInWithToken = Effect.fnUntraced(function* (request: FastifyRequest, baseUrl: string, token: string) {
  const counted = yield* SignInAttempts.use((attempts) =>
    attempts.count(clientWindows(request, ATTEMPTS), bareAddress(request.ip))
  )
  if (counted._tag === "full") {
    yield* recordFailure(request, "admin_token", "too_many")
    return { _tag: "tooMany", seconds: counted.seconds } satisfies Attempt
  }
  if (!(yield* OperatorAuthentication).isAdminToken(token)) {
    yield* recordFailure(request, "admin_token", "wrong")
    return { _tag: "refused" } satisfies Attempt
  }
  yield* counted.giveBack
  return yield* begin(request, baseUrl, {
    operatorId: ADMIN_TOKEN,
    name: ADMIN_TOKEN,
    role: "owner",
    method: "admin_token",
    grounds: token
  })
})

/** Signs in with the one-time code of a console link, which is too long to guess. */
export const signInWithCode = Effect.fnUntraced(function* (request: FastifyRequest, baseUrl: string, code: string) {
  if (!(yield* ConsoleCodes.use((codes) => codes.redeem(code)))) {
    yield* recordFailure(request, "code", "wrong")
    return { _tag: "refused" } satisfies Attempt
  }
  return yield* begin(request, baseUrl, {
    operatorId: CONSOLE_LINK,
    name: "Console link",
    role: "owner",
    method: "code",
    grounds: null
  })
})

/** Signs in whom the issuer has identified, if OPERATORS lists them. */
export const signInWithClaims = Effect.fnUntraced(function* (
  request: FastifyRequest,
  baseUrl: string,
  claims: Parameters<(typeof OperatorAuthentication)["Service"]["byClaims"]>[0]
) {
  const operator = (yield* OperatorAuthentication).byClaims(claims)
  if (operator === null) {
    yield* recordFailure(request, "issuer", "wrong")
    return { _tag: "refused" } satisfies Attempt
  }
  return yield* begin(request, baseUrl, { ...operator, method: "issuer" })
})
