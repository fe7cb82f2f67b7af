import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { makeEndWatch } from "./endWatch.ts"

/**
 * Closes the long-lived requests of a key (streams and waiting polls) within a second after the key has ended.
 * Notifications do this at once.
 */
export class KeyWatch extends Context.Service<
  KeyWatch,
  {
    /** Calls `ended` when the key is no longer valid. The returned function stops watching. */
    readonly watch: (prefix: string, ended: () => void) => () => void
  }
>()("src/accounts/KeyWatch") {
  static readonly layer = Layer.effect(
    KeyWatch,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { end, watch } = yield* makeEndWatch(keys.valid)
      yield* Effect.acquireRelease(
        Effect.sync(() => keys.onEnd(end)),
        (stop) => Effect.sync(stop)
      )
      return KeyWatch.of({ watch })
    })
  )
}
