import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { timingSafeEqual } from "node:crypto"
import { type AccountToken, AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { bearerOf } from "./bearer.ts"
import { read } from "./credential.ts"
import type { Scope } from "./scopes.ts"
import { isStreamToken } from "./StreamTokens.ts"

/** The caller of an account route: a client acting for the person who approved it. */
export interface AccountPrincipal {
  readonly accountId: string
  readonly token: AccountToken
}

/**
 * `invalid_token`: unknown, malformed, revoked or expired. `runtime_key`: the bearer is an app's key. `stream_token`:
 * the bearer is for the events of a session.
 */
export class AccountUnauthenticated extends Schema.TaggedError<AccountUnauthenticated>()("AccountUnauthenticated", {
  reason: Schema.Literals(["missing", "invalid_token", "runtime_key", "idp_key", "stream_token"])
}) {}
export class ScopeMissing extends Schema.TaggedError<ScopeMissing>()("ScopeMissing", { scope: Schema.String }) {}

/** Authenticates the bearer of an account route (contract 5). Not cached, so a revoked token is refused at once. */
export class AccountAuthentication extends Context.Service<
  AccountAuthentication,
  {
    /** `scope`: the scope that the route requires. Null: any token is accepted. */
    readonly authenticate: (
      authorization: string | undefined,
      scope: Scope | null
    ) => Effect.Effect<AccountPrincipal, AccountUnauthenticated | ScopeMissing | DatabaseError>
  }
>()("src/accounts/AccountAuthentication") {
  static readonly layer = Layer.effect(
    AccountAuthentication,
    Effect.gen(function* () {
      const tokens = yield* AccountTokens

      const authenticate = Effect.fnUntraced(function* (authorization: string | undefined, scope: Scope | null) {
        const bearer = bearerOf(authorization)
        if (bearer === undefined) return yield* new AccountUnauthenticated({ reason: "missing" })
        if (bearer.startsWith("ck_")) return yield* new AccountUnauthenticated({ reason: "runtime_key" })
        if (bearer.startsWith("ak_")) return yield* new AccountUnauthenticated({ reason: "idp_key" })
        if (isStreamToken(bearer)) return yield* new AccountUnauthenticated({ reason: "stream_token" })
        const presented = read("lat_", bearer)
        const stored = presented === null ? undefined : yield* tokens.find(presented.prefix)
        if (
          presented === null ||
          stored === undefined ||
          stored.ended ||
          !timingSafeEqual(stored.secret_hash, presented.secretHash)
        ) {
          return yield* new AccountUnauthenticated({ reason: "invalid_token" })
        }
        if (stored.use_unwritten) yield* tokens.used(stored.prefix)
        if (scope !== null && !stored.scopes.includes(scope)) return yield* new ScopeMissing({ scope })
        return { accountId: stored.account_id, token: stored }
      })
      return AccountAuthentication.of({ authenticate })
    })
  )
}
