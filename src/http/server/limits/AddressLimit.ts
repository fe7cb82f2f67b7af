import type { FastifyRequest } from "fastify"
import { clientAddress } from "./clientAddress.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { addressLimited } from "#src/http/server/errors.ts"

const WINDOW_MS = 60_000
/** Addresses that are counted at once: beyond it the window that began first is forgotten. */
const MOST_ADDRESSES = 50_000

interface Window {
  readonly endsAtMs: number
  count: number
}

/**
 * Counts the requests without a key that an address makes of this process in a minute. In memory: it keeps one address
 * from taking the process for itself, and costs those who keep within it nothing.
 */
export const makeAddressLimit = (mostPerMinute: number) => {
  // In the order in which they began, which is the order in which they end.
  const windows = new Map<string, Window>()

  const forget = (nowMs: number) => {
    for (const [address, { endsAtMs }] of windows) {
      if (endsAtMs > nowMs && windows.size < MOST_ADDRESSES) return
      windows.delete(address)
    }
  }
  /** What refuses the request, or null. */
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
