import { defineError } from "#src/http/server/catalogue.ts"

export const sessionNotFound = defineError(
  404,
  "session_not_found",
  "There is no such session in this app.",
  "List the app's sessions with GET /v1/sessions."
)
const expiredCursor = defineError(
  410,
  "cursor_expired",
  "Events up to this cursor are no longer kept.",
  "Continue from earliest_since."
)
export const cursorExpired = (keptAfter: number) =>
  expiredCursor.saying(
    `Events up to cursor ${keptAfter} are no longer kept.`,
    `Continue from since=${keptAfter}. The current state of a session is at GET /v1/sessions/{session_id}/state.`,
    { earliest_since: keptAfter }
  )
export const characterNotReady = defineError(
  409,
  "character_not_ready",
  "This character isn't ready for conversations.",
  "GET /v1/characters/{slug}/readiness lists the problems and how to fix them."
)
export const sessionExited = defineError(
  409,
  "session_exited",
  "The character has left this session and will not reply in it again.",
  "Start a new session with POST /v1/sessions."
)
export const demoInputTooLarge = defineError(
  413,
  "demo_input_too_large",
  "With a demo key, a message can have at most 2000 characters.",
  "Send a shorter message, or use a runtime key of your own app."
)
export const endUserBlocked = defineError(
  409,
  "end_user_blocked",
  "The app has blocked this end-user.",
  "Remove the block with PATCH /v1/end-users/{external_user_ref} and blocked: false."
)
export const turnQueueFull = defineError(
  429,
  "turn_queue_full",
  "Too many messages in this session are waiting for a reply.",
  "Wait for replies before sending more."
)
