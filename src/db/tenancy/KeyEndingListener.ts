import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys, KEY_ENDED } from "./ApiKeys.ts"
import { Database, toDatabaseError } from "#src/db/postgres/Database.ts"
import { whileStarting } from "#src/db/postgres/retry.ts"

/**
 * Forwards notifications of keys that were ended in other processes. If a notification is lost, the key is still
 * accepted for up to the second that it is cached.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sessions } = yield* Database
    const keys = yield* ApiKeys
    yield* Effect.acquireRelease(
      whileStarting(Effect.tryPromise({ try: () => sessions.listen(KEY_ENDED, keys.ended), catch: toDatabaseError })),
      (listening) => Effect.promise(() => listening.unlisten().catch(() => {}))
    )
  })
)
