import type { FastifyRequest } from "fastify"
import type { OperatorRole } from "#src/accounts/Operator.ts"
import type { Scope } from "#src/accounts/scopes.ts"

/**
 * The credential that a route takes. `account`: an account token with this scope; null: with any. `operator`:
 * ADMIN_TOKEN, a token or a session of an operator with at least this role.
 */
export type Credential = "app" | { readonly account: Scope | null } | { readonly operator: OperatorRole } | "none"

interface Cases<A> {
  readonly app: () => A
  readonly account: (scope: Scope | null) => A
  readonly operator: (role: OperatorRole) => A
  readonly none: () => A
}

/** What depends on the credential of a route has a case for each, so tsc names every place when one is added. */
export const matchCredential = <A>(credential: Credential | undefined, cases: Cases<A>): A =>
  typeof credential !== "object"
    ? cases[credential ?? "app"]()
    : "account" in credential
      ? cases.account(credential.account)
      : cases.operator(credential.operator)

/** Who sends an admitted request: the id of an app or an account, or an operator. Null: nobody is known (yet). */
export const callerOf = ({ principal, account, operator, routeOptions }: FastifyRequest): string | null =>
  matchCredential(routeOptions.config.auth, {
    app: () => principal?.appId ?? null,
    account: () => account?.accountId ?? null,
    operator: () => (operator === undefined ? null : `operator ${operator.id}`),
    none: () => null
  })

/** The same where the route takes a credential, and it was accepted. */
export const knownCaller = (request: FastifyRequest): string => {
  const caller = callerOf(request)
  if (caller === null) throw new Error("the request has no known caller")
  return caller
}
