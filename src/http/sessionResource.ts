import type { Character } from "#pipeline/domain/Character.ts"
import { emotionAt } from "#pipeline/relational/emotion.ts"
import type { Standing } from "#src/db/Relationships.ts"
import type { Session } from "#src/db/Sessions.ts"
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

/** What holds where neither the session nor its character says otherwise (the fields of contract 2.6). */
const PROACTIVE_DEFAULTS = {
  proactive_enabled: false,
  proactivity_tolerance: 0,
  cold_initiate_enabled: false,
  session_resume_enabled: false,
  cold_initiate_min_idle_minutes: 720,
  session_resume_min_idle_minutes: 120,
  session_resume_max_unanswered_character_turns: 2,
  min_gap_between_initiate_minutes: 240,
  daily_initiate_cap: 2
} as const

/** Each control by the nearest that sets it: the session, its character, the app. Null clears, so it falls through. */
const proactiveControls = (session: Readonly<Record<string, unknown>>, character: Readonly<Record<string, unknown>>) => {
  const effective: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  for (const [field, fallback] of Object.entries(PROACTIVE_DEFAULTS)) {
    const own = session[field] ?? null
    const authored = character[field] ?? null
    effective[field] = own ?? authored ?? fallback
    sources[field] = own !== null ? "session" : authored !== null ? "character" : "app"
  }
  return { effective, sources, next_eligible_at: null }
}

/** The session as it stands by now. A storyline is none until something fills it; meter and stage are redacted until the app opts in (contract 2.5). */
export const toStateResource = (session: Session, character: Character, { relationship: { bearing, openLoops }, exposes, nowMs }: { readonly relationship: Standing; readonly exposes: boolean; readonly nowMs: number }) => {
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
    proactive: proactiveControls(session.proactive_controls, character.behavioral_thresholds)
  }
}
