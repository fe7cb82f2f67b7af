import * as Effect from "effect/Effect"
import type { DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * Watches credentials with open requests: one query every 500 ms asks which are still valid, as long as there are any.
 * `end` ends one at once.
 */
export const makeEndWatch = Effect.fnUntraced(function* (
  stillValid: (credentials: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
) {
  const watches = new Map<string, Set<() => void>>()

  const end = (credential: string) => {
    for (const ended of watches.get(credential) ?? []) ended()
  }
  const look = Effect.gen(function* () {
    if (watches.size === 0) return
    const asked = [...watches.keys()]
    const valid = new Set(yield* stillValid(asked))
    for (const credential of asked) {
      if (!valid.has(credential)) end(credential)
    }
  }).pipe(Effect.catchTag("DatabaseError", () => Effect.void))
  yield* Effect.sleep("500 millis").pipe(Effect.andThen(look), Effect.forever, Effect.forkScoped)

  return {
    end,
    watch: (credential: string, ended: () => void) => {
      const watch = watches.get(credential) ?? new Set()
      watches.set(credential, watch)
      watch.add(ended)
      return () => {
        watch.delete(ended)
        if (watch.size === 0 && watches.get(credential) === watch) watches.delete(credential)
      }
    }
  }
})
