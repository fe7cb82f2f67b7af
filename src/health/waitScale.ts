/** Times are counted in steps of 15 %, from 100 ms up to about 12 minutes. */
export const WAIT_SCALE = { firstMs: 100, ratio: 1.15, steps: 64 } as const

/** How many times fell into each step, by its number. */
export type Waits = Readonly<Record<string, number>>

/** Adds up the counts of several periods. */
export const addWaits = (all: ReadonlyArray<Waits>): Waits => {
  const sum: Record<string, number> = {}
  for (const waits of all) for (const [step, count] of Object.entries(waits)) sum[step] = (sum[step] ?? 0) + count
  return sum
}

/** The time in milliseconds that this share of the counted times did not exceed, up to 15 % too high. Null: none. */
export const waitAt = (share: number, waits: Waits): number | null => {
  const steps = Object.entries(waits).sort(([a], [b]) => Number(a) - Number(b))
  const total = steps.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [step, count] of steps) {
    seen += count
    if (seen >= total * share) return Math.round(WAIT_SCALE.firstMs * WAIT_SCALE.ratio ** Number(step))
  }
  return null
}
