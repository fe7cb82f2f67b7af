import * as Effect from "effect/Effect"
import { Agent, fetch as undiciFetch, type RequestInit as UndiciRequestInit } from "undici"
import type { AllowList } from "./AllowList.ts"
import { guard } from "./guard.ts"
import { LookUp } from "./LookUp.ts"

const MAX_BYTES = 1024 * 1024
const TOTAL_MS = 10_000

/**
 * `fetch` for libraries with their own protocol, with the same restrictions as `Outbound`: only checked addresses, no
 * redirects, and limits for size and time.
 */
export const guardedFetch = Effect.fnUntraced(function* (allow: AllowList) {
  const lookUp = yield* LookUp
  const context = yield* Effect.context<never>()
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connect: guard(allow, lookUp, context), maxResponseSize: MAX_BYTES })),
    (agent) => Effect.promise(() => agent.destroy())
  )
  return (url: string, init: RequestInit = {}): Promise<Response> => {
    const signal = AbortSignal.any([
      AbortSignal.timeout(TOTAL_MS),
      ...(init.signal === null || init.signal === undefined ? [] : [init.signal])
    ])
    const headers = { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" }
    // undici has its own types for what it shares with the platform.
    const request = { ...init, headers, signal, redirect: "manual", dispatcher: agent } as UndiciRequestInit
    return undiciFetch(url, request) as unknown as Promise<Response>
  }
})
