import { binomialDistribution, mean, quantile } from "simple-statistics"
import { seedOf } from "../domain/seed.ts"

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). The intervals of one run draw a million of them. */
export const randomOf = (seed: number): (() => number) => {
  let state = seedOf({ sessionId: "statistics", turnIndex: seed })
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const RESAMPLES = 2_000

export interface Weighted {
  readonly value: number
  /** Above 0. */
  readonly weight: number
}

/** Null for an empty list. */
export const weightedMean = (values: ReadonlyArray<Weighted>): number | null =>
  values.length === 0
    ? null
    : values.reduce((sum, { value, weight }) => sum + value * weight, 0) /
      values.reduce((sum, { weight }) => sum + weight, 0)

/**
 * The 95 % interval of the weighted mean by the bootstrap: resample with replacement and take the middle 95 % of the
 * means. Null for fewer than two values.
 */
export const intervalOfMean = (values: ReadonlyArray<Weighted>, seed: number): Interval | null => {
  if (values.length < 2) return null
  const random = randomOf(seed)
  // Sums what is drawn, instead of a list of it: a run has several intervals, and each draws hundreds of thousands.
  const resampledMean = () => {
    let sum = 0
    let weights = 0
    for (let drawn = 0; drawn < values.length; drawn++) {
      const { value, weight } = values[Math.floor(random() * values.length)] as Weighted
      sum += value * weight
      weights += weight
    }
    return sum / weights
  }
  const means = Array.from({ length: RESAMPLES }, resampledMean)
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) }
}

export const meanOf = (values: ReadonlyArray<number>): number | null => (values.length === 0 ? null : mean([...values]))

/** Null for an empty list. */
export const percentile = (values: ReadonlyArray<number>, share: number): number | null =>
  values.length === 0 ? null : quantile([...values], share)

/**
 * McNemar's exact test, two-sided: how likely a split this uneven is if both directions are equally likely. 1 if
 * nothing changed.
 */
export const mcnemarExact = (fixed: number, broken: number): number => {
  const flips = fixed + broken
  if (flips === 0) return 1
  // The table ends where the remaining probabilities are negligible. Missing entries count as 0.
  const upTo = (binomialDistribution(flips, 0.5) ?? []).slice(0, Math.min(fixed, broken) + 1)
  return Math.min(1, 2 * upTo.reduce((sum, share) => sum + share, 0))
}
