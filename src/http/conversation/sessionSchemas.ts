import * as z from "zod"
import { languageTag, timezone } from "#src/http/server/schemas/locale.ts"
import { expectedVersion, unit, wholeBetween } from "#src/http/server/schemas/number.ts"
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
      description: "Your own id of the end-user; case-sensitive",
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
          "Open another session even if this person already has an active one with this character. By default the " +
          "request returns the active one: it keeps its metadata and proactive_enabled, and values in the body that " +
          "differ are named in ignored_fields. end_user is always applied"
      })
  })
  .superRefine((body, context) => {
    const given = slugAliases.filter((alias) => body[alias] !== undefined)
    if (given.length === 0) context.addIssue({ code: "custom", path: ["character_slug"], message: "Required" })
    for (const alias of given.slice(1)) {
      context.addIssue({ code: "custom", path: [alias], message: `Must not be given together with ${given[0]}` })
    }
  })
  .meta({ oneOf: slugAliases.map((alias) => ({ required: [alias] })) })
export type SessionCreate = z.output<typeof SessionCreate>

export const characterSlugOf = (body: SessionCreate): string => body.character_slug ?? body.character ?? body.slug ?? ""

/** Maximum length of a message. */
export const MOST_CHARACTERS = 32_000

export const MessageSend = z.object({
  text: text(1, MOST_CHARACTERS).meta({
    description: "A demo key sends at most 2,000 characters",
    examples: ["What do you do all day?"]
  }),
  reply_mode: z
    .enum(["fast", "deep"])
    .default("fast")
    .meta({ examples: ["fast"] })
})
export type MessageSend = z.output<typeof MessageSend>

export const AppPatch = z
  .object({
    expose_relational_numerics: z
      .boolean()
      .optional()
      .meta({ description: "Opt in to relationship scores and their event" }),
    name: text(1, 80).optional().meta({ description: "Cannot be cleared" }),
    expected_version: expectedVersion()
  })
  .meta({ description: "JSON merge patch (RFC 7396): what is left out stays, null is the default again" })
export type AppPatch = z.output<typeof AppPatch>

/** Null clears the override and falls back to the character, then the app. */
export const proactiveControls = z.object({
  proactive_enabled: z
    .boolean()
    .nullable()
    .optional()
    .meta({ description: "Scheduled initiation and live send; null falls back to the defaults" }),
  proactivity_tolerance: unit().nullable().optional().meta({ description: "0: never reach out, whatever else is set" }),
  cold_initiate_enabled: z.boolean().nullable().optional().meta({ description: "Start afresh after a long silence" }),
  session_resume_enabled: z.boolean().nullable().optional().meta({ description: "Nudge an unanswered thread" }),
  cold_initiate_min_idle_minutes: wholeBetween(5, 1440).nullable().optional(),
  session_resume_min_idle_minutes: wholeBetween(0, 1440).nullable().optional(),
  session_resume_max_unanswered_character_turns: wholeBetween(0, 20).nullable().optional(),
  min_gap_between_initiate_minutes: wholeBetween(0, 1440).nullable().optional(),
  daily_initiate_cap: wholeBetween(0, 50).nullable().optional()
})
export type ProactiveControls = z.output<typeof proactiveControls>
