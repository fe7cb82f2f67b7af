import * as z from "zod"
import { SESSION_STATES } from "#src/db/operators/SessionSearch.ts"
import { TIMELINE_KINDS } from "#src/db/conversation/Timeline.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

export const OperatorSessionQuery = z.object({
  app_id: z.string().max(64).optional(),
  external_user_ref: z.string().min(1).max(255).optional().describe("The whole reference"),
  person: text(1, 255).optional().describe("Part of external_user_ref, in upper or lower case"),
  character_slug: z.string().max(200).optional().describe("The whole slug"),
  character: text(1, 200).optional().describe("Part of character_slug, in upper or lower case"),
  status: z.enum(SESSION_STATES).optional(),
  crisis_since: time
    .optional()
    .describe("Sessions in which somebody was in danger since then, the latest danger first"),
  ...listQuery
})
export const OperatorSession = z.object({
  id: z.string(),
  app_id: z.string(),
  app_name: z.string().nullable().describe("null: it is a run of evals"),
  character_slug: z.string(),
  character_name: z.string().nullable(),
  external_user_ref: z.string(),
  status: z.enum(SESSION_STATES),
  exit: z.object({ reason_code: z.string().nullable(), at: time }).nullable(),
  last_cursor: z.int(),
  turn_count: z.int(),
  open_turns: z.int().describe("Turns that wait or are being answered"),
  created_at: time,
  last_user_at: time.nullable(),
  last_character_at: time.nullable()
})
export const OperatorSessionPage = z.object({
  sessions: z.array(OperatorSession),
  next_cursor: z
    .string()
    .nullable()
    .describe("A filtered page can be short or empty and still not be the last. Continue until it is null")
})
export const OperatorTimeline = z.object({
  items: z.array(
    z.object({
      at: time,
      kind: z.enum(TIMELINE_KINDS),
      ref: z.string(),
      title: z.string(),
      detail: z.record(z.string(), z.unknown()).describe("Without anything that was said or remembered")
    })
  ),
  next_before: z.string().nullable()
})
