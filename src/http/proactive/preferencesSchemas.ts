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
    opted_out: z.boolean().nullable().optional().meta({
      description: "Where the person has asked to be left alone, only they can take it back: 409 person_opted_out"
    }),
    preferred_hours: hours.nullable().optional().meta({ description: "When to write, by the person's own clock" }),
    timezone: timezone().nullable().optional(),
    frequency: z.enum(["less", "normal", "more"]).nullable().optional(),
    topics_welcome: topics().nullable().optional(),
    topics_avoid: topics().nullable().optional()
  })
  .meta({
    description:
      "JSON merge patch (RFC 7396): what is left out stays, null clears. What the app sets outranks what was " +
      "inferred; what the person says later outranks both"
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
      "Who said so: the person in so many words (explicit), the conversation (inferred) or the app. A field " +
        "without one was never set"
    )
})
