import * as z from "zod"
import { TURN_OUTCOMES } from "#channels/event-log/TurnEnds.ts"
import { OPERATIONAL_TYPES } from "#channels/OperationalLog.ts"

/**
 * The event types of contract 6, those of messengers, and those of the app's operational log. In a filter, an unknown
 * type would never match, so a typo is an error.
 */
export const eventType = z.enum([
  ...OPERATIONAL_TYPES,
  "channel.notice",
  "message.created",
  "message.edited",
  "run.status",
  "image.ready",
  "character.initiated",
  "session.exited",
  "message.failed",
  "relationship_score.changed"
])

/** Contract 2.3. */
export const EventData = z.object({
  id: z.string(),
  schema_version: z.string(),
  cursor: z.int(),
  session_id: z.string(),
  type: z.string(),
  event_type: z.string().describe("Always equal to type"),
  role: z.enum(["user", "character", "system"]),
  trace_id: z.string().describe("The run_ref of the turn"),
  created_at: z.iso.datetime(),
  payload: z.record(z.string(), z.unknown()),
  source_ref: z.object({
    kind: z.string(),
    id: z.string().optional(),
    external_user_ref: z
      .string()
      .optional()
      .describe("The end-user of the session. Absent on the app's operational log"),
    character_slug: z.string().optional().describe("The character of the session. Absent on the app's operational log")
  })
})

/** A page of the feed. */
export const FeedPage = z.object({
  events: z.array(EventData),
  next_cursor: z.string().describe("Opaque. Store it, and send it as since"),
  has_more: z.boolean()
})

/** Contract 4.6. */
export const EventPage = z.object({ events: z.array(EventData), next_cursor: z.int(), has_more: z.boolean() })

/** The same for a reader who waits for a turn. */
export const SessionEventPage = EventPage.extend({
  turn: z
    .object({
      run_ref: z.string(),
      outcome: z.enum(TURN_OUTCOMES).nullable().describe("null: the turn has not ended yet")
    })
    .optional()
    .describe("Only with until: the turn that was waited for")
})
