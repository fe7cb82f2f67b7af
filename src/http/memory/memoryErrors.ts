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
  "One is taken every ten turns, whenever the two come closer or drift apart, and when the character leaves."
)
export const memoryForgotten = defineError(
  409,
  "memory_forgotten",
  "This memory is forgotten, and cannot be changed any more.",
  "Tell it again with POST /v1/sessions/{session_id}/memories, if it is to be known again."
)
export const pinnedLimitReached = defineError(
  409,
  "pinned_limit_reached",
  "As many memories of this session are pinned as may be.",
  "Unpin one with PATCH and pinned: false."
)
export const personOptedOut = defineError(
  409,
  "person_opted_out",
  "The person has asked to be left alone; only they can take that back.",
  "Wait until they say otherwise, in the conversation."
)
