import type { RelationshipPosture } from "../domain/Character.ts"
import type { Payload } from "../domain/Event.ts"
import { type CurrentScore, currentScores } from "./scores.ts"
import type { Score } from "./Relationship.ts"

/** The scale of every score (contract 2.5). */
export const SCALE = { min: 0, max: 1 } as const

export type PublicScore = Payload<"relationship_score.changed">["relationship_scores"][number]

const toPublic = ({ dimension, value, updatedAt }: CurrentScore, since: string): PublicScore => ({
  key: dimension.key,
  label: dimension.label ?? dimension.key,
  value,
  lower_is_open: dimension.lower_is_open,
  updated_at: updatedAt ?? since,
  version: updatedAt ?? since
})

/**
 * The only way scores are exposed: their current values, without their history (contract 2.5). For apps that have opted
 * in. `since` is when the session began: a score that never changed dates from then.
 */
export const publicScores = (
  posture: RelationshipPosture,
  scores: ReadonlyArray<Score>,
  { nowMs, since }: { readonly nowMs: number; readonly since: string }
): ReadonlyArray<PublicScore> => currentScores(posture, scores, nowMs).map((one) => toPublic(one, since))
