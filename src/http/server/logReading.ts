import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import type { ApiError } from "./ApiError.ts"
import { appMoves, appSuspended, invalidKey } from "./errors.ts"
import { streamTokenEnded, streamTokenExpired } from "./streamTokenErrors.ts"

const CURSOR = `Must be a cursor: a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`
/** Digits only: an empty or malformed `since` must not silently mean the whole log. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}$/, CURSOR)
  .transform(Number)
  .pipe(z.int(CURSOR))

/** What a request was admitted with. */
type Admitted = Pick<FastifyRequest, "principal" | "streamToken">
/** Fails with the reason why a credential is no longer valid. */
type Ended = Effect.Effect<never, ApiError | DatabaseError, ApiKeys>

const keyEnded = ({ principal: { prefix }, streamToken }: Admitted): Ended =>
  Effect.gen(function* () {
    const invalid = streamToken === undefined ? invalidKey : streamTokenEnded
    const keys = yield* ApiKeys
    const key = yield* keys.find(prefix)
    if (key === undefined) return yield* (yield* keys.movedTo(prefix)) === undefined ? invalid : appMoves
    if (key.moving_to !== null) return yield* appMoves
    return yield* key.suspended ? appSuspended(key.suspended_reason) : invalid
  })

/**
 * A function that calls `ended` when a request's key is revoked or expires, its app is suspended, or its stream token
 * expires. It returns a function that stops watching.
 */
export const watchCredential = Effect.fnUntraced(function* (admitted: Admitted) {
  const { watch } = yield* KeyWatch
  const clock = yield* Clock.Clock
  return (ended: (because: Ended) => void) => {
    const unwatch = watch(admitted.principal.prefix, () => ended(keyEnded(admitted)))
    const { streamToken } = admitted
    if (streamToken === undefined) return unwatch
    const leftMs = streamToken.expiresAtMs - clock.currentTimeMillisUnsafe()
    const timer = setTimeout(() => ended(Effect.fail(streamTokenExpired)), leftMs)
    return () => {
      unwatch()
      clearTimeout(timer)
    }
  }
})

const credentialEnded = (admitted: Admitted) =>
  Effect.flatMap(watchCredential(admitted), (watch) =>
    Effect.callback<never, ApiError | DatabaseError, ApiKeys>((resume) => Effect.sync(watch(resume)))
  )

/** A waiting read that ends when the credential of its request does. */
export const endsWithCredential = <A, E, R>(admitted: Admitted, waitSeconds: number, reading: Effect.Effect<A, E, R>) =>
  waitSeconds === 0 ? reading : Effect.raceFirst(reading, credentialEnded(admitted))
