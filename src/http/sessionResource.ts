import type { App } from "#src/db/Apps.ts"
import type { StoredCharacter } from "#src/db/Characters.ts"
import type { ProactiveState } from "#src/db/Initiatives.ts"
import type { Session } from "#src/db/Sessions.ts"
import { toProactiveState } from "./proactiveResource.ts"

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

const record = (value: unknown): Readonly<Record<string, unknown>> => typeof value === "object" && value !== null ? { ...value } : {}

/** The session as it stands. Scores, loops and storylines are empty until something fills them; the meter is redacted until the app opts in (contract 2.5). */
export const toStateResource = (session: Session, character: StoredCharacter, app: App, proactive: ProactiveState) => {
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
    proactive: toProactiveState(proactive)
  }
}
