import type { FastifyRequest } from "fastify"
import type { Scope } from "#src/accounts/scopes.ts"

/** The credential that a route takes. `account`: an account token with this scope; null: with any. */
export type Credential = "app" | { readonly account: Scope | null } | "operator" | "none"

interface Cases<A> {
  readonly app: () => A
  readonly account: (scope: Scope | null) => A
  readonly operator: () => A
  readonly none: () => A
}

/** What depends on the credential of a route has a case for each, so tsc names every place when one is added. */
export const matchCredential = <A>(credential: Credential | undefined, cases: Cases<A>): A =>
  typeof credential === "object" ? cases.account(credential.account) : cases[credential ?? "app"]()

/** Who sends an admitted request: the id of an app or an account, or the operator. Null: nobody is known (yet). */
export const callerOf = ({ principal, account, isOperator, routeOptions }: FastifyRequest): string | null =>
  matchCredential(routeOptions.config.auth, {
    app: () => principal?.appId ?? null,
    account: () => account?.accountId ?? null,
    operator: () => (isOperator ? "operator" : null),
    none: () => null
  })

/** The same where the route takes a credential, and it was accepted. */
export const knownCaller = (request: FastifyRequest): string => {
  const caller = callerOf(request)
  if (caller === null) throw new Error("the request has no known caller")
  return caller
}
