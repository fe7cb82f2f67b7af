const FIRST_MS = 500
const LONGEST_MS = 8_000
/** A server that wants a longer wait than this gets its refusal reported instead. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** How long to wait before the next attempt: doubled each time, bounded, and with jitter. `failures` begins with 1. */
export const backoffMs = (failures: number): number => {
  const longest = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return longest / 2 + (Math.random() * longest) / 2
}

/** What Retry-After says, in milliseconds. Undefined: nothing. Null: longer than a client should wait by itself. */
export const retryAfterMs = (headers: Headers): number | undefined | null => {
  const text = headers.get("retry-after")
  if (text === null) return undefined
  const seconds = Number(text)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now()
  if (Number.isNaN(ms)) return undefined
  return ms > LONGEST_RETRY_AFTER_MS ? null : Math.max(0, ms)
}

/** Waits, or fails with the signal's reason as soon as it is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
