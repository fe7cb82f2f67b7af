import type { Character } from "#pipeline/domain/Character.ts"
import { emotionAt } from "#pipeline/relational/emotion.ts"
import { biased } from "#pipeline/relational/describeRelationship.ts"
import { moodOf, activeArcs } from "#pipeline/world/arcs.ts"
import { beatOf } from "#pipeline/world/storylines.ts"
import type { SessionWorld } from "#pipeline/world/World.ts"
import type { ProactiveState } from "#src/db/proactive/ProactiveDecisions.ts"
import type { RelationshipState } from "#src/db/memory/Relationships.ts"
import type { Session } from "#src/db/conversation/Sessions.ts"
import { toMeter, toStage } from "./relationalMeter.ts"
import { toSessionResource } from "./sessionResource.ts"

export const toProactiveState = ({ effective, sources, nextEligibleAt }: ProactiveState) => ({
  effective,
  sources,
  next_eligible_at: nextEligibleAt?.toISOString() ?? null
})

export interface SessionState {
  readonly character: Character
  readonly relationship: RelationshipState
  readonly proactive: ProactiveState
  /** Whether the app may see scores. */
  readonly exposes: boolean
  readonly nowMs: number
  readonly world: SessionWorld
}

/**
 * The current state of a session: the character's feeling with current influences, and the position in the story. Meter
 * and stage are redacted until the app opts in (contract 2.5).
 */
export const toStateResource = (
  session: Session,
  { character, relationship: { bearing, openLoops }, proactive, exposes, nowMs, world }: SessionState
) => {
  const story = beatOf(world)
  const mood = moodOf(
    activeArcs(
      world,
      { sessionId: session.session_id, externalUserRef: session.external_user_ref },
      character.life_rhythm.timezone ?? "UTC",
      nowMs
    )
  )
  const since = session.created_at.toISOString()
  const standpoint = { posture: character.relationship_posture, scores: bearing.scores, nowMs, since, exposes }
  return {
    session: toSessionResource(session),
    turn: { state: session.run_ref === null ? "idle" : "generating", run_ref: session.run_ref },
    emotion: {
      ...biased(emotionAt(character.baseline_emotion, bearing.emotion, nowMs), mood),
      updated_at: bearing.emotion?.updated_at ?? since
    },
    relational_meter: toMeter(standpoint),
    stage: toStage(standpoint),
    open_loop_count: openLoops,
    storyline:
      story === null
        ? null
        : {
            storyline_id: story.storyline.id,
            title: story.storyline.title,
            current_beat: story.beat.key,
            entered_at: story.step.entered_at
          },
    proactive: toProactiveState(proactive)
  }
}
