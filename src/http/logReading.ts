import * as Effect from "effect/Effect"
import * as z from "zod"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { type ApiError, invalidKey } from "./errors.ts"

/** Digits and nothing else: an empty or odd `since` must not quietly mean the whole log. */
export const cursor = z.string().regex(/^\d{1,16}$/, "Must be a whole number from 0").transform(Number).pipe(z.int())

/** Fails when the key is revoked. */
export const keyEnded = (prefix: string) =>
  Effect.flatMap(KeyWatch, ({ watch }) =>
    Effect.callback<never, ApiError>((resume) => {
      const unwatch = watch(prefix, () => resume(invalidKey))
      return Effect.sync(unwatch)
    }))

/** A reading that waits ends when the key does. */
export const endsWithKey = <A, E, R>(prefix: string, waitSeconds: number, reading: Effect.Effect<A, E, R>) =>
  waitSeconds === 0 ? reading : Effect.raceFirst(reading, keyEnded(prefix))
