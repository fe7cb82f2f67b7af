import type { Session } from "#src/db/conversation/Sessions.ts"

const iso = (time: Date | null) => (time === null ? null : time.toISOString())

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
