import type { App } from "#src/db/Apps.ts"
import type { StoredCharacter } from "#src/db/Characters.ts"
import type { Session } from "#src/db/Sessions.ts"

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

const record = (value: unknown): Readonly<Record<string, unknown>> => typeof value === "object" && value !== null ? { ...value } : {}

/** The session as it stands. Scores, loops and storylines are empty until something fills them; the meter is redacted until the app opts in (contract 2.5). */
export const toStateResource = (session: Session, character: StoredCharacter, app: App) => {
  const baseline = record(character.profile["baseline_emotion"])
  return {
    session: toSessionResource(session),
    turn: { state: session.run_ref === null ? "idle" : "generating", run_ref: session.run_ref },
    emotion: {
      label: baseline["label"] ?? "neutral",
      valence: baseline["valence"] ?? 0,
      arousal: baseline["arousal"] ?? 0,
      updated_at: session.created_at.toISOString()
    },
    relational_meter: {
      relationship_scores: [],
      score_contract: { score_version: "relationship_scores.v1", scale: { min: 0, max: 1 }, semantics: { monotonic: false, may_move_down: true } },
      redacted: !app.expose_relational_numerics
    },
    stage: null,
    open_loop_count: 0,
    storyline: null,
    proactive: proactiveControls(session.proactive_controls, record(character.profile["behavioral_thresholds"]))
  }
}
