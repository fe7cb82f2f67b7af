import * as z from "zod"

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

/** Contract 4.6. */
export const EventPage = z.object({ events: z.array(EventData), next_cursor: z.int(), has_more: z.boolean() })
