import * as z from "zod"
import { acrossFields } from "#src/http/server/schemas/acrossFields.ts"
import { languageTag, timezone } from "#src/http/server/schemas/locale.ts"
import { text } from "#src/http/server/schemas/text.ts"
import { deepestNesting, findTooDeep } from "#src/http/server/body/unstorable.ts"

const METADATA_BYTES = 4096

/** Checks the depth first, because JSON.stringify recurses. */
const fitsMetadata = (value: unknown): boolean =>
  findTooDeep(value) === null && Buffer.byteLength(JSON.stringify(value)) <= METADATA_BYTES

const slugAliases = ["character_slug", "character", "slug"] as const

export const SessionCreate = z
  .object({
    character_slug: text(1, 200).optional(),
    character: text(1, 200).optional().meta({ description: "Alias of character_slug" }),
    slug: text(1, 200).optional().meta({ description: "Alias of character_slug" }),
    external_user_ref: text(1, 128).meta({
      description: "Your own id of the end-user. Case-sensitive",
      examples: ["user-42"]
    }),
    proactive_enabled: z.boolean().nullable().optional(),
    end_user: z
      .object({
        display_name: text(1, 80).optional(),
        timezone: timezone().optional(),
        locale: languageTag().optional(),
        age_band: z.enum(["adult", "minor", "unknown"]).optional()
      })
      .optional(),
    metadata: z
      .record(z.string(), z.unknown())
      .refine(
        fitsMetadata,
        `Too big: expected at most ${METADATA_BYTES} bytes of JSON, nested at most ${deepestNesting} deep`
      )
      .optional(),
    new_thread: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Open a new session even if this person already has an active one with this character. By " +
          "default, the active one is returned: it keeps its metadata and proactive_enabled, and " +
          "ignored_fields names the fields of the body that differ. end_user is always applied"
      })
  })
  .superRefine((body, context) => {
    const given = slugAliases.filter((alias) => body[alias] !== undefined)
    if (given.length === 0) context.addIssue({ code: "custom", path: ["character_slug"], message: "Required" })
    for (const alias of given.slice(1)) {
      context.addIssue({ code: "custom", path: [alias], message: `Must not be given together with ${given[0]}` })
    }
  }, acrossFields)
  .meta({ oneOf: slugAliases.map((alias) => ({ required: [alias] })) })
export type SessionCreate = z.output<typeof SessionCreate>

/** The field in which a body names the character. */
export const slugFieldOf = (body: SessionCreate) =>
  slugAliases.find((alias) => body[alias] !== undefined) ?? "character_slug"
export const characterSlugOf = (body: SessionCreate): string => body.character_slug ?? body.character ?? body.slug ?? ""

const time = z.iso.datetime()
export const SessionData = z.object({
  id: z.string(),
  character_slug: z.string(),
  character_version: z.int(),
  external_user_ref: z.string(),
  status: z.enum(["active", "exited", "archived"]),
  exit: z.object({ reason_code: z.string(), at: time }).nullable(),
  last_cursor: z.int(),
  turn_count: z.int(),
  unanswered_character_turns: z.int(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: time,
  last_user_at: time.nullable(),
  last_character_at: time.nullable()
})
export const SessionPage = z.object({ sessions: z.array(SessionData), next_cursor: z.string().nullable() })
