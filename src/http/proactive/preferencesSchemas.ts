import * as z from "zod"
import { PreferenceSource } from "#pipeline/relational/Relationship.ts"
import { clockTime, timezone } from "#src/http/server/schemas/locale.ts"
import { texts } from "#src/http/server/schemas/text.ts"

const hours = z
  .array(
    z
      .object({ from: clockTime(), to: clockTime() })
      .refine(({ from, to }) => from !== to, "Must not start and end at the same time")
  )
  .max(7)
const topics = () => texts(20, 60)

export const PreferencesPatch = z
  .object({
    opted_out: z
      .boolean()
      .nullable()
      .optional()
      .meta({
        description:
          "true: the person is not written to first. If the person has opted out " +
          "themselves, only they can change this: 409 person_opted_out"
      }),
    preferred_hours: hours.nullable().optional().meta({ description: "When to write, in the person's local time" }),
    timezone: timezone().nullable().optional(),
    frequency: z.enum(["less", "normal", "more"]).nullable().optional(),
    topics_welcome: topics().nullable().optional(),
    topics_avoid: topics().nullable().optional()
  })
  .meta({
    description:
      "JSON merge patch (RFC 7396): omitted fields stay unchanged, and null clears a field. What the " +
      "app sets overrides what was inferred. What the person says later overrides both"
  })

export const PreferencesData = z.object({
  opted_out: z.boolean(),
  preferred_hours: z.array(z.object({ from: z.string(), to: z.string() })),
  timezone: z.string().nullable(),
  frequency: z.enum(["less", "normal", "more"]),
  topics_welcome: z.array(z.string()),
  topics_avoid: z.array(z.string()),
  field_sources: z
    .record(z.string(), z.enum(PreferenceSource.literals))
    .describe(
      "Who set the field: the person explicitly (explicit), the conversation " +
        "(inferred) or the app. A field without a source was never set"
    )
})
