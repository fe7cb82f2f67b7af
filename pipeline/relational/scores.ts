import type { Dimension, RelationshipPosture } from "../domain/Character.ts"
import { dimensionsOf } from "./dimensions.ts"
import type { Score } from "./Relationship.ts"

const DAY_MS = 86_400_000
const PLACES = 10_000
/** Scores have four decimals, which hides rounding differences between orders of summation. */
const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * PLACES) / PLACES

/** The current value of a score. It drifts towards its baseline, by half in every half-life. */
export const decayedScore = (
  { start, baseline = start, half_life_days }: Dimension,
  score: Score,
  nowMs: number
): number => {
  const days = Math.max(0, nowMs - Date.parse(score.updated_at)) / DAY_MS
  return rounded(
    half_life_days === null ? score.value : baseline + (score.value - baseline) * 2 ** (-days / half_life_days)
  )
}

export interface CurrentScore {
  readonly dimension: Dimension
  /** 0 to 1. */
  readonly value: number
  /** When a message last changed it. Null if none has. */
  readonly updatedAt: string | null
}

/** The current value of each dimension of the posture. */
export const currentScores = (
  posture: RelationshipPosture,
  scores: ReadonlyArray<Score>,
  nowMs: number
): ReadonlyArray<CurrentScore> =>
  dimensionsOf(posture).map((dimension) => {
    const score = scores.find(({ key }) => key === dimension.key)
    return score === undefined
      ? { dimension, value: rounded(dimension.start), updatedAt: null }
      : { dimension, value: decayedScore(dimension, score, nowMs), updatedAt: score.updated_at }
  })

/** A change of a score: its direction and strength. */
export interface Step {
  readonly key: string
  readonly direction: "up" | "down"
  readonly strength: 1 | 2 | 3
}

const PACE = { slow: 0.5, medium: 1, fast: 2 } as const
const STEP_SIZE = 0.01
const DOWN_WEIGHT = 1.5

/**
 * The scores after the steps of one turn. A step gets smaller as the score gets fuller, and a step down counts one and
 * a half times. All steps of a turn together change a score by at most `max_delta_per_turn`. Scores without a step stay
 * as they are and keep drifting.
 */
export const applySteps = (
  posture: RelationshipPosture,
  scores: ReadonlyArray<Score>,
  steps: ReadonlyArray<Step>,
  at: string
): ReadonlyArray<Score> => {
  const next = new Map(scores.map((score) => [score.key, score]))
  for (const { dimension, value } of currentScores(posture, scores, Date.parse(at))) {
    const mine = steps.filter(({ key }) => key === dimension.key)
    if (mine.length === 0) continue
    const delta = mine.reduce(
      (sum, { direction, strength }) =>
        sum + strength * STEP_SIZE * PACE[posture.pace] * (direction === "up" ? 1 - value : -DOWN_WEIGHT * value),
      0
    )
    const most = dimension.max_delta_per_turn
    next.set(dimension.key, {
      key: dimension.key,
      value: rounded(value + Math.min(most, Math.max(-most, delta))),
      updated_at: at
    })
  }
  return [...next.values()]
}

/** Stages of closeness, by the mean of the dimensions in which more is more. */
const STAGES = [
  [0.75, "close"],
  [0.55, "friends"],
  [0.4, "warming"],
  [0.2, "acquainted"],
  [0, "distant"]
] as const

export const stageOf = (standings: ReadonlyArray<CurrentScore>): string => {
  const open = standings.map(({ dimension, value }) => (dimension.lower_is_open ? 1 - value : value))
  const mean = open.reduce((sum, value) => sum + value, 0) / Math.max(1, open.length)
  return STAGES.find(([from]) => mean >= from)?.[1] ?? "distant"
}
