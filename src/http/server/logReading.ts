import * as Effect from "effect/Effect"
import * as z from "zod"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { ApiError } from "./ApiError.ts"
import { appMoves, appSuspended, invalidKey } from "./errors.ts"

const CURSOR = `Must be a cursor: a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`
/** Digits only: an empty or malformed `since` must not silently mean the whole log. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}$/, CURSOR)
  .transform(Number)
  .pipe(z.int(CURSOR))

const endReason = (prefix: string) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const key = yield* keys.find(prefix)
    if (key === undefined) return yield* (yield* keys.movedTo(prefix)) === undefined ? invalidKey : appMoves
    if (key.moving_to !== null) return yield* appMoves
    return yield* key.suspended ? appSuspended(key.suspended_reason) : invalidKey
  })

/** Fails when the key is revoked or its app suspended. */
export const keyEnded = (prefix: string) =>
  Effect.flatMap(KeyWatch, ({ watch }) =>
    Effect.callback<never, ApiError | DatabaseError, ApiKeys>((resume) => {
      const unwatch = watch(prefix, () => resume(endReason(prefix)))
      return Effect.sync(unwatch)
    })
  )

/** A waiting read that ends when the key does. */
export const endsWithKey = <A, E, R>(prefix: string, waitSeconds: number, reading: Effect.Effect<A, E, R>) =>
  waitSeconds === 0 ? reading : Effect.raceFirst(reading, keyEnded(prefix))
