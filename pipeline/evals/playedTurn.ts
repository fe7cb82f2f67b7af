import type { Character } from "../domain/Character.ts"
import { emotionAt } from "../relational/emotion.ts"
import { isWaiting, type Relationship } from "../relational/Relationship.ts"
import { currentScores } from "../relational/scores.ts"
import { SAFETY_ACTIONS } from "./Check.ts"
import type { PlayedTurn, Trajectory } from "./Trajectory.ts"

/** What the trace says of a stage. */
export interface StageSeen {
  readonly stage: string
  readonly decision: string | null
  readonly detail: {
    readonly memories?: ReadonlyArray<{ readonly id: string }>
    readonly cited_memory_ids?: ReadonlyArray<string>
  } | null
}

/** How far a turn got and what was extracted from it, according to the tables. */
export interface TurnSeen {
  readonly user: string
  readonly outcome: PlayedTurn["outcome"]
  readonly reason: string | null
  readonly events: ReadonlyArray<{ readonly type: string; readonly bubbles: ReadonlyArray<string> | null }>
  readonly stages: ReadonlyArray<StageSeen>
  readonly before: Relationship
  readonly after: Relationship
  readonly at: Date
  readonly latencyMs: number
  readonly costMicroUsd: number
}

/** The current scores, by key. */
export const scoresAt = (
  { relationship_posture }: Character,
  { bearing }: Relationship,
  at: Date
): Trajectory["scores"] =>
  Object.fromEntries(
    currentScores(relationship_posture, bearing.scores, at.getTime()).map(({ dimension, value }) => [
      dimension.key,
      value
    ])
  )

const REFUSED = "refused:"

/** A turn as the checks see it. */
export const playedTurn = (character: Character, seen: TurnSeen): PlayedTurn => {
  const { before, after, stages, events, at } = seen
  const of = (name: string) => stages.filter(({ stage }) => stage === name)
  const safety = of("safety").at(-1)?.decision?.split("+", 1)[0]
  const loops = [...after.loops.values()].map(({ id, text, status }) => ({ id, text, status }))
  const waited = (id: string) => {
    const loop = before.loops.get(id)
    return loop !== undefined && isWaiting(loop)
  }
  const bare = ({ id, text }: { readonly id: string; readonly text: string }) => ({ id, text })
  return {
    user: seen.user,
    outcome: seen.outcome,
    reason: seen.reason,
    bubbles: events.flatMap(({ bubbles }) => bubbles ?? []),
    events: events.map(({ type }) => type),
    safety: SAFETY_ACTIONS.find((action) => action === safety) ?? null,
    refused_by: of("emission").flatMap(({ decision }) =>
      decision?.startsWith(REFUSED) === true ? [decision.slice(REFUSED.length)] : []
    ),
    retrieved: of("retrieval").flatMap(({ detail }) => (detail?.memories ?? []).map(({ id }) => id)),
    cited: [...new Set(of("generation").flatMap(({ detail }) => detail?.cited_memory_ids ?? []))],
    emotion: emotionAt(character.baseline_emotion, after.bearing.emotion, at.getTime()),
    scores: scoresAt(character, after, at),
    opened: loops.filter(({ id }) => !before.loops.has(id)).map(bare),
    resolved: loops.filter(({ id, status }) => status === "resolved" && waited(id)).map(bare),
    latency_ms: seen.latencyMs,
    cost_micro_usd: seen.costMicroUsd
  }
}
