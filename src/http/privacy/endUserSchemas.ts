import * as z from "zod"
import { languageTag, timezone } from "#src/http/server/schemas/locale.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

export const EndUserPatch = z
  .object({
    display_name: text(1, 80).nullable().optional(),
    timezone: timezone().nullable().optional(),
    locale: languageTag().nullable().optional(),
    age_band: z.enum(["adult", "minor", "unknown"]).nullable().optional().meta({ description: "null: unknown" }),
    blocked: z.boolean().optional().meta({ description: "true: their sends are refused with 409 end_user_blocked" })
  })
  .meta({ description: "JSON merge patch (RFC 7396): omitted fields stay unchanged, and null clears a field" })

export const EndUserData = z.object({
  external_user_ref: z.string(),
  display_name: z.string().nullable(),
  timezone: z.string().nullable(),
  locale: z.string().nullable(),
  age_band: z.enum(["adult", "minor", "unknown"]),
  blocked: z.boolean(),
  session_count: z.int(),
  last_active_at: time.nullable().describe("When the end-user last wrote"),
  created_at: time
})
export const EndUserPage = z.object({ end_users: z.array(EndUserData), next_cursor: z.string().nullable() })

export const ErasureData = z.object({
  erasure_id: z.string(),
  status: z.enum(["queued", "running", "completed"]),
  created_at: time,
  completed_at: time.nullable()
})

export const ExportData = z.object({
  export_id: z.string(),
  external_user_ref: z.string(),
  status: z.literal("preparing"),
  created_at: time
})
