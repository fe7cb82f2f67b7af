import * as z from "zod"
import { unit, wholeBetween } from "#src/http/server/schemas/number.ts"

/**
 * When a character writes first. Null in a session clears the override and falls back to the character, then the app.
 */
export const proactiveControls = z.object({
  proactive_enabled: z
    .boolean()
    .nullable()
    .optional()
    .meta({ description: "Scheduled initiation and live send. null restores the default" }),
  proactivity_tolerance: unit()
    .nullable()
    .optional()
    .meta({ description: "0: never write first, regardless of other settings" }),
  cold_initiate_enabled: z.boolean().nullable().optional().meta({ description: "Write first after a long silence" }),
  session_resume_enabled: z
    .boolean()
    .nullable()
    .optional()
    .meta({ description: "Follow up on an unanswered message of the character" }),
  cold_initiate_min_idle_minutes: wholeBetween(5, 1440).nullable().optional(),
  session_resume_min_idle_minutes: wholeBetween(0, 1440).nullable().optional(),
  session_resume_max_unanswered_character_turns: wholeBetween(0, 20).nullable().optional(),
  min_gap_between_initiate_minutes: wholeBetween(0, 1440).nullable().optional(),
  daily_initiate_cap: wholeBetween(0, 50).nullable().optional()
})
