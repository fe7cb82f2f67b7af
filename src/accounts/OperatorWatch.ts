import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { makeEndWatch } from "./endWatch.ts"
import { ADMIN_TOKEN } from "./Operator.ts"

/** Ends the open screens of an operator within a second after their session or token has ended. */
export class OperatorWatch extends Context.Service<
  OperatorWatch,
  {
    /** Completes when this credential (see `credentialOf`) is no longer valid. */
    readonly ended: (credential: string) => Effect.Effect<void>
  }
>()("src/accounts/OperatorWatch") {
  static readonly layer = Layer.effect(
    OperatorWatch,
    Effect.gen(function* () {
      const sessions = yield* OperatorSessions
      const tokens = yield* OperatorTokens
      const { watch } = yield* makeEndWatch((credentials) => {
        const beginning = (prefix: string) => credentials.filter((one) => one.startsWith(prefix))
        const [ofSessions, ofTokens] = [beginning("os_"), beginning("op_")]
        return Effect.map(
          Effect.all([
            ofSessions.length === 0 ? Effect.succeed([]) : sessions.valid(ofSessions),
            ofTokens.length === 0 ? Effect.succeed([]) : tokens.valid(ofTokens)
          ]),
          // ADMIN_TOKEN is a setting: it lasts as long as the process.
          (valid) => [ADMIN_TOKEN, ...valid.flat()]
        )
      })
      return OperatorWatch.of({
        ended: (credential) =>
          Effect.callback<void>((resume) => {
            const unwatch = watch(credential, () => resume(Effect.void))
            return Effect.sync(unwatch)
          })
      })
    })
  )
}
