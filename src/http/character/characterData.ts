import * as z from "zod"
import { READINESS } from "#pipeline/readiness/Readiness.ts"

const time = z.iso.datetime()

export const CharacterData = z
  .object({
    slug: z.string(),
    display_name: z.string(),
    status: z.enum(["active", "archived"]),
    version: z.int(),
    readiness: z.object({ status: z.enum(READINESS), checked_at: time }),
    created_at: time,
    updated_at: time,
    import_id: z.string().nullable()
  })
  .loose()
  .describe("The authored fields as given, and these")
export const CharacterPage = z.object({ characters: z.array(CharacterData), next_cursor: z.string().nullable() })

export const CharacterVersionPage = z.object({
  versions: z.array(
    z.object({
      version: z.int(),
      display_name: z.string(),
      current: z.boolean().describe("Whether new turns use it"),
      source_ref: z
        .object({ kind: z.literal("finding"), id: z.string() })
        .nullable()
        .describe("The accepted finding that created this version, if any"),
      created_at: time
    })
  ),
  next_cursor: z.string().nullable()
})
