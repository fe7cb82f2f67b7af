import * as Context from "effect/Context"

/**
 * Who changes something, for the audit log. `id`: the prefix of the token or key; null where the account says who, or
 * nobody does.
 */
export interface Actor {
  readonly kind: "operator" | "person" | "account_token" | "runtime_key" | "anybody"
  readonly id: string | null
}

/** The operator, unless a request says otherwise: nobody else comes past the HTTP surface. */
export const CurrentActor = Context.Reference<Actor>("src/accounts/Actor", {
  defaultValue: () => ({ kind: "operator", id: null })
})
