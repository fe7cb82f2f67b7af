import { defineError } from "#src/http/server/catalogue.ts"

export const memoryNotFound = defineError(
  404,
  "memory_not_found",
  "There is no such memory in this session.",
  "List the session's memories with GET /v1/sessions/{session_id}/memories."
)
export const openLoopNotFound = defineError(
  404,
  "open_loop_not_found",
  "There is no such open loop in this session.",
  "List them with GET /v1/sessions/{session_id}/open-loops."
)
export const snapshotNotFound = defineError(
  404,
  "snapshot_not_found",
  "This session has no snapshot yet.",
  "Snapshots are taken every ten turns, when the relationship stage changes, and when the character leaves."
)
export const memoryForgotten = defineError(
  409,
  "memory_forgotten",
  "This memory was forgotten and can't be changed.",
  "To restore it, add it again with POST /v1/sessions/{session_id}/memories."
)
export const pinnedLimitReached = defineError(
  409,
  "pinned_limit_reached",
  "The session has reached its limit of pinned memories.",
  "Unpin one with PATCH and pinned: false."
)
export const personOptedOut = defineError(
  409,
  "person_opted_out",
  "The person has opted out. Only they can change that.",
  "Wait until they say so in the conversation."
)
