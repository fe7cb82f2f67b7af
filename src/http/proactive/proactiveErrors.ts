import { defineError } from "#src/http/server/catalogue.ts"

export const scheduledMessageNotFound = defineError(
  404,
  "scheduled_message_not_found",
  "There is no such scheduled message in this session.",
  "List them with GET /v1/sessions/{session_id}/proactive/schedule."
)
const scheduleFull = defineError(
  409,
  "schedule_limit_reached",
  "The session has reached its limit of scheduled messages.",
  "Cancel one, or wait until one is sent."
)
export const scheduleLimitReached = (most: number) =>
  scheduleFull.saying(`The session has ${most} scheduled messages, which is the limit.`)
const scheduledAlready = defineError(
  409,
  "scheduled_message_closed",
  "The scheduled message can no longer be cancelled.",
  "Only a message whose status is `scheduled` can be cancelled."
)
export const scheduleClosed = (status: string) =>
  scheduledAlready.saying(`The scheduled message can no longer be cancelled: its status is ${status}.`)
