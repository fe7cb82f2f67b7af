import type { Character } from "#pipeline/domain/Character.ts"
import { emotionAt } from "#pipeline/relational/emotion.ts"
import type { ProactiveState } from "#src/db/Initiatives.ts"
import type { Standing } from "#src/db/Relationships.ts"
import type { Session } from "#src/db/Sessions.ts"
import { toProactiveState } from "./proactiveResource.ts"
import { toMeter, toStage } from "./relationalMeter.ts"

const iso = (time: Date | null) => time === null ? null : time.toISOString()

export const toSessionResource = (session: Session) => ({
  id: session.session_id,
  character_slug: session.character_slug,
  character_version: session.character_version,
  external_user_ref: session.external_user_ref,
  status: session.status,
  exit: session.exited_at === null ? null : { reason_code: session.exit_reason, at: session.exited_at.toISOString() },
  last_cursor: session.last_cursor,
  turn_count: session.turn_count,
  unanswered_character_turns: session.unanswered_character_turns,
  metadata: session.metadata,
  created_at: session.created_at.toISOString(),
  last_user_at: iso(session.last_user_at),
  last_character_at: iso(session.last_character_at)
})

export interface SessionStanding {
  readonly character: Character
  readonly relationship: Standing
  readonly proactive: ProactiveState
  /** Whether the app may see scores. */
  readonly exposes: boolean
  readonly nowMs: number
}

/** The session as it stands by now. A storyline is none until something fills it; meter and stage are redacted until the app opts in (contract 2.5). */
export const toStateResource = (session: Session, { character, relationship: { bearing, openLoops }, proactive, exposes, nowMs }: SessionStanding) => {
  const since = session.created_at.toISOString()
  const standpoint = { posture: character.relationship_posture, scores: bearing.scores, nowMs, since, exposes }
  return {
    session: toSessionResource(session),
    turn: { state: session.run_ref === null ? "idle" : "generating", run_ref: session.run_ref },
    emotion: { ...emotionAt(character.baseline_emotion, bearing.emotion, nowMs), updated_at: bearing.emotion?.updated_at ?? since },
    relational_meter: toMeter(standpoint),
    stage: toStage(standpoint),
    open_loop_count: openLoops,
    storyline: null,
    proactive: toProactiveState(proactive)
  }
}
