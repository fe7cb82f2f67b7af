import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"

/**
 * Closes the long-lived requests of a key (streams and waiting polls) within a second after the key has ended.
 * Notifications do this at once. In addition, one query every 500 ms checks all keys with open requests, as long as
 * there are any.
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
      const watches = new Map<string, Set<() => void>>()

      const end = (prefix: string) => {
        for (const ended of watches.get(prefix) ?? []) ended()
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => keys.onEnd(end)),
        (stop) => Effect.sync(stop)
      )
      const look = Effect.gen(function* () {
        if (watches.size === 0) return
        const asked = [...watches.keys()]
        const valid = new Set(yield* keys.valid(asked))
        for (const prefix of asked) {
          if (!valid.has(prefix)) end(prefix)
        }
      }).pipe(Effect.catchTag("DatabaseError", () => Effect.void))
      yield* Effect.sleep("500 millis").pipe(Effect.andThen(look), Effect.forever, Effect.forkScoped)

      return KeyWatch.of({
        watch: (prefix, ended) => {
          const watch = watches.get(prefix) ?? new Set()
          watches.set(prefix, watch)
          watch.add(ended)
          return () => {
            watch.delete(ended)
            if (watch.size === 0 && watches.get(prefix) === watch) watches.delete(prefix)
          }
        }
      })
    })
  )
}
