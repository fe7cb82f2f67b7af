import type { FastifyRequest } from "fastify"
import { clientAddress } from "./clientAddress.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { addressLimited } from "#src/http/server/errors.ts"

const WINDOW_MS = 60_000
/** Maximum number of tracked addresses. Beyond it, the oldest window is dropped. */
const MAX_ADDRESSES = 50_000

interface Window {
  readonly endsAtMs: number
  count: number
}

/**
 * Counts the requests without a key per address and minute in this process. It keeps a single address from monopolizing
 * the process. It is in memory, so other callers pay nothing for it.
 */
export const makeAddressLimit = (mostPerMinute: number) => {
  // In order of their start, which is also the order of their end.
  const windows = new Map<string, Window>()

  const forget = (nowMs: number) => {
    for (const [address, { endsAtMs }] of windows) {
      if (endsAtMs > nowMs && windows.size < MAX_ADDRESSES) return
      windows.delete(address)
    }
  }
  /** The error that refuses the request, or null. */
  return ({ ip }: FastifyRequest): ApiError | null => {
    const nowMs = performance.now()
    const address = clientAddress(ip)
    const known = windows.get(address)
    if (known === undefined || known.endsAtMs <= nowMs) {
      windows.delete(address)
      forget(nowMs)
      windows.set(address, { endsAtMs: nowMs + WINDOW_MS, count: 1 })
      return null
    }
    if (known.count >= mostPerMinute) return addressLimited(Math.max(1, Math.ceil((known.endsAtMs - nowMs) / 1000)))
    known.count++
    return null
  }
}
