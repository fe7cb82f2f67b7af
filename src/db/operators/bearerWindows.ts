import type { RollingLimit } from "#src/db/tenancy/RollingLimits.ts"

/** Addresses and sites that this process remembers. Beyond it, the oldest is dropped. */
const MAX_REMEMBERED = 50_000

/** A client that has to wait. */
export interface Refusal {
  readonly seconds: number
  /** It is the first refusal of this window, which is recorded. */
  readonly isNews: boolean
}

/** The wrong bearers that this process has counted. A window begins with the first one. */
export const makeBearerWindows = () => {
  const byWindow = new Map<string, { readonly endsAtMs: number; count: number; isRefused: boolean }>()
  const keyOf = ({ kind, subject }: RollingLimit) => `${kind} ${subject}`
  const forget = (nowMs: number) => {
    for (const [key, { endsAtMs }] of byWindow) {
      if (endsAtMs > nowMs && byWindow.size < MAX_REMEMBERED) return
      byWindow.delete(key)
    }
  }
  const put = (window: RollingLimit, nowMs: number, seconds: number, count: number) => {
    byWindow.delete(keyOf(window))
    forget(nowMs)
    byWindow.set(keyOf(window), { endsAtMs: nowMs + seconds * 1000, count, isRefused: false })
  }
  return {
    /** Whether one of these windows is full, and for how long. */
    refusalOf: (windows: ReadonlyArray<RollingLimit>, nowMs: number): Refusal | null => {
      for (const window of windows) {
        const known = byWindow.get(keyOf(window))
        if (known === undefined || known.endsAtMs <= nowMs || known.count < window.most) continue
        const isNews = !known.isRefused
        known.isRefused = true
        return { seconds: Math.ceil((known.endsAtMs - nowMs) / 1000), isNews }
      }
      return null
    },
    add: (window: RollingLimit, nowMs: number) => {
      const known = byWindow.get(keyOf(window))
      if (known === undefined || known.endsAtMs <= nowMs) put(window, nowMs, window.windowSeconds, 1)
      else known.count++
    },
    fill: (window: RollingLimit, nowMs: number, seconds: number) => put(window, nowMs, seconds, window.most)
  }
}
