import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHmac, hash, timingSafeEqual } from "node:crypto"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { OperatorSessions, proofOf } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { bearerOf } from "./bearer.ts"
import { read } from "./credential.ts"
import { ADMIN_TOKEN, type Operator } from "./Operator.ts"
import { type Claims, operatorOf, type OperatorRule } from "./operatorRules.ts"

export class OperatorUnauthenticated extends Schema.TaggedError<OperatorUnauthenticated>()(
  "OperatorUnauthenticated",
  {}
) {}

// Digests are equally long, which the comparison requires.
const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** The CSRF token of a session. Nobody can derive it without the cookie. */
const csrfOf = (cookie: string): string => createHmac("sha256", cookie).update("csrf").digest("base64url")

export interface OperatorAuthenticationOptions {
  /** Null: no bearer is the owner's. */
  readonly adminToken: Redacted.Redacted | null
  /** The entries of OPERATORS. */
  readonly rules: ReadonlyArray<OperatorRule>
}

/**
 * Authenticates operators: by the bearer ADMIN_TOKEN or a token (op_...), or by the cookie of a session (os_...).
 * Nothing is cached, so a revoked token or session is refused at once.
 */
export class OperatorAuthentication extends Context.Service<
  OperatorAuthentication,
  {
    /** Whether there is an ADMIN_TOKEN. */
    readonly hasAdminToken: boolean
    /** Whether the text is ADMIN_TOKEN. */
    readonly isAdminToken: (text: string) => boolean
    /** The operator whom the claims of an ID token identify. Null: OPERATORS does not list them. */
    readonly byClaims: (claims: Claims & { readonly sub: string }) => ReturnType<typeof operatorOf>
    /** Whether anybody can sign in through the issuer. */
    readonly hasRules: boolean
    /** Whether the header has a bearer that can be a guess of ADMIN_TOKEN, and not one that looks like a token. */
    readonly isGuessable: (authorization: string | undefined) => boolean
    readonly byBearer: (
      authorization: string | undefined
    ) => Effect.Effect<Operator, OperatorUnauthenticated | DatabaseError>
    readonly byCookie: (cookie: string | undefined) => Effect.Effect<Operator, OperatorUnauthenticated | DatabaseError>
  }
>()("src/accounts/OperatorAuthentication") {
  static readonly layer = ({ adminToken, rules }: OperatorAuthenticationOptions) =>
    Layer.effect(
      OperatorAuthentication,
      Effect.gen(function* () {
        const tokens = yield* OperatorTokens
        const sessions = yield* OperatorSessions
        const expected = adminToken === null ? null : digestOf(Redacted.value(adminToken))
        const allGrounds = [
          ...rules.map(({ text }) => text),
          ...(adminToken === null ? [] : [Redacted.value(adminToken)])
        ]
        const looksLikeToken = (text: string) => text.startsWith("op_")
        const adminTokenLooksLikeToken = adminToken !== null && looksLikeToken(Redacted.value(adminToken))
        const unauthenticated = new OperatorUnauthenticated()

        const isAdminToken = (text: string) => expected !== null && timingSafeEqual(expected, digestOf(text))
        const isStillLetIn = (cookie: string, proof: Buffer | null) =>
          proof === null || allGrounds.some((one) => timingSafeEqual(proofOf(cookie, one), proof))

        const byBearer = Effect.fnUntraced(function* (authorization: string | undefined) {
          const bearer = bearerOf(authorization)
          if (bearer === undefined) return yield* unauthenticated
          if (isAdminToken(bearer))
            return { id: ADMIN_TOKEN, name: ADMIN_TOKEN, role: "owner", via: "admin_token" } satisfies Operator
          const given = read("op_", bearer)
          if (given === null) return yield* unauthenticated
          const stored = yield* tokens.find(given.prefix)
          if (stored === undefined || stored.ended || !timingSafeEqual(stored.secret_hash, given.secretHash))
            return yield* unauthenticated
          if (stored.use_unwritten) yield* tokens.used(given.prefix)
          const { name, role } = stored
          return { id: given.prefix, name, role, via: "token" } satisfies Operator
        })

        const byCookie = Effect.fnUntraced(function* (cookie: string | undefined) {
          const given = cookie === undefined ? null : read("os_", cookie)
          if (cookie === undefined || given === null) return yield* unauthenticated
          const stored = yield* sessions.find(given.prefix)
          if (stored === undefined || stored.ended || !timingSafeEqual(stored.secret_hash, given.secretHash))
            return yield* unauthenticated
          if (!isStillLetIn(cookie, stored.proof)) return yield* unauthenticated
          if (stored.use_unwritten) yield* sessions.used(given.prefix)
          const { operator_id: id, name, role } = stored
          return {
            id,
            name,
            role,
            via: "session",
            sessionId: given.prefix,
            csrf: csrfOf(cookie)
          } satisfies Operator
        })

        return OperatorAuthentication.of({
          hasAdminToken: expected !== null,
          isAdminToken,
          byClaims: (claims) => operatorOf(rules, claims),
          hasRules: rules.length > 0,
          isGuessable: (authorization) => {
            const bearer = bearerOf(authorization)
            if (bearer === undefined || read("op_", bearer) !== null) return false
            return adminTokenLooksLikeToken || !looksLikeToken(bearer)
          },
          byBearer,
          byCookie
        })
      })
    )
}
