import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { windowsOf } from "./Cost.ts"

/**
 * Counts a request in the rolling windows that its route declares: those of the client, or those of an account. Returns
 * in how many seconds there is room again if one of them is full, else null.
 */
export const takeWindows = Effect.fnUntraced(function* (request: FastifyRequest, accountId?: string) {
  const limits = yield* RollingLimits
  for (const { most, ...window } of windowsOf(request, accountId)) {
    if (most === undefined) return yield* Effect.die(new Error(`the number of ${window.kind} is a setting`))
    const counted = yield* limits.take({ ...window, most })
    if (!counted.taken) return counted.retryAfterSeconds
  }
  return null
})
