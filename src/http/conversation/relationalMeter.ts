import type { RelationshipPosture } from "#pipeline/domain/Character.ts"
import { publicScores, SCALE } from "#pipeline/relational/meter.ts"
import type { Score } from "#pipeline/relational/Relationship.ts"
import { stageOf, currentScores } from "#pipeline/relational/scores.ts"

/** Part of every answer with scores (contract 2.5). */
const SCORE_CONTRACT = {
  score_version: "relationship_scores.v1",
  scale: SCALE,
  semantics: { monotonic: false, may_move_down: true }
} as const

export interface Standpoint {
  readonly posture: RelationshipPosture
  readonly scores: ReadonlyArray<Score>
  readonly nowMs: number
  /** When the session began (ISO 8601). */
  readonly since: string
  /** Whether the app has opted in. */
  readonly exposes: boolean
}

/** The meter as the app may see it: empty until it opts in, then the current values. */
export const toMeter = ({ posture, scores, nowMs, since, exposes }: Standpoint) => ({
  relationship_scores: exposes ? publicScores(posture, scores, { nowMs, since }) : [],
  score_contract: SCORE_CONTRACT,
  redacted: !exposes
})

/** How close the two are, as a word. It is derived from the scores, so it is redacted like them. */
export const toStage = ({ posture, scores, nowMs, exposes }: Standpoint): string | null =>
  exposes ? stageOf(currentScores(posture, scores, nowMs)) : null
