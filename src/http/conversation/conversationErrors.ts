import * as Effect from "effect/Effect"
import type { FeedLost } from "#channels/event-log/AppFeed.ts"
import type { LogChunk } from "#channels/event-log/EventLog.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const sessionNotFound = defineError(
  404,
  "session_not_found",
  "There is no such session in this app.",
  "List the app's sessions with GET /v1/sessions."
)
export const turnNotFound = defineError(
  404,
  "turn_not_found",
  "There is no such turn in this session.",
  "Use the run_ref from the response to the message."
)
export const consumerNotFound = defineError(
  404,
  "consumer_not_found",
  "There is no such consumer in this app.",
  "Create it with PUT /v1/consumers/{name}."
)
const tooManyConsumers = defineError(
  409,
  "consumer_limit_reached",
  "Consumer limit reached.",
  "Delete a consumer first."
)
export const consumerLimitReached = (most: number) =>
  tooManyConsumers.saying(
    `An app has at most ${most} consumers.`,
    "Delete one that is not used with DELETE /v1/consumers/{name}. Processes share the work of one consumer."
  )
const expiredCursor = defineError(
  410,
  "cursor_expired",
  "Events up to this cursor are no longer kept, or the log ends before it.",
  "Continue from earliest_since."
)
const trimmedLog = (keptAfter: number) =>
  expiredCursor.saying(
    `Events up to cursor ${keptAfter} are no longer kept.`,
    `Continue from since=${keptAfter}. The current state of a session is at GET /v1/sessions/{session_id}/state.`,
    { earliest_since: keptAfter }
  )
const shorterLog = ({ tail, keptAfter }: LogChunk) =>
  expiredCursor.saying(
    `This log ends at cursor ${tail}. ` +
      "The event with this cursor was lost in a failover or with a restored backup, or belongs to another log.",
    `Continue from since=${keptAfter}, the oldest event that is kept, and skip events whose id you know.`,
    { earliest_since: keptAfter }
  )
/** Fails if a reader of a session's log has missed events, or has seen events that the log does not have. */
export const refuseExpired = (since: number, page: LogChunk) =>
  page.isBeyond
    ? Effect.fail(shorterLog(page))
    : since < page.keptAfter
      ? Effect.fail(trimmedLog(page.keptAfter))
      : Effect.void
/** `continueFrom`: the first place of the feed from which nothing that is kept is missed. */
export const feedCursorExpired = ({ because, continueFrom }: FeedLost) =>
  expiredCursor.saying(
    because === "trimmed"
      ? "Events after this cursor are no longer kept."
      : "This cursor belongs to another database, or to events that were lost when this one was restored or moved.",
    continueFrom === "0"
      ? "Continue from since=0, the oldest event that is kept, and skip events whose id you know."
      : `Continue from since=${continueFrom}. No event is repeated, and none that is kept is missed.`,
    { earliest_since: continueFrom }
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
export const historyTooLate = defineError(
  409,
  "history_too_late",
  "The session already has messages, so history can no longer be added.",
  "Add history before the first message. For another conversation, open a session with new_thread: true."
)
export const historyFull = defineError(
  409,
  "history_full",
  "A session takes at most 10,000 messages of history.",
  "Leave out the oldest messages."
)
