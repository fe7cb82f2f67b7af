import * as Context from "effect/Context"

/**
 * Who makes a change, for the audit log. `id`: the prefix of the token or key, or the id of an operator (see Operator).
 * Null if the account identifies the actor, or if there is none, as on the command line.
 */
export interface Actor {
  readonly kind: "operator" | "person" | "account_token" | "runtime_key" | "anybody"
  readonly id: string | null
  /** Of an operator's request: the address it came from, and the prefix of the session or token. */
  readonly address?: string
  readonly credential?: string
}

/** The person who runs a command on the server's machine. */
export const COMMAND_LINE: Actor = { kind: "operator", id: null }

/** Defaults to the operator, because all others come through HTTP requests, which set it. */
export const CurrentActor = Context.Reference<Actor>("src/accounts/Actor", {
  defaultValue: () => COMMAND_LINE
})
