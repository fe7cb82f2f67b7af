import * as z from "zod"
import { ARC_STATUSES } from "#pipeline/world/arcs.ts"
import { ARC_KINDS, RECURRENCES } from "#pipeline/world/World.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, unit } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"

const kind = z.enum(ARC_KINDS)
const recurrence = z.enum(RECURRENCES)
const DAY_MS = 86_400_000
/** A recurring influence must end before it begins again. */
const LONGEST_DAYS = { none: Infinity, daily: 1, weekly: 7, yearly: 365 } as const

const effect = z.object({
  valence: between(-1, 1).default(0),
  arousal: between(-1, 1).default(0),
  topic: text(1, 200).nullable().default(null),
  score_bias: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), between(-0.1, 0.1))
    .refine((biases) => Object.keys(biases).length <= 8, "At most 8 dimensions")
    .default({})
    .meta({
      description:
        "By key of a relationship dimension: how much higher or lower it " +
        "seems while the influence lasts. The scores do not change"
    })
})

export const influence = z.object({
  kind,
  guidance: text(1, 500).meta({ examples: ["Tired after the harvest; short answers, but kind."] }),
  effect: effect.default({ valence: 0, arousal: 0, topic: null, score_bias: {} }),
  weight: unit().default(1).meta({ description: "Strength of the effect" })
})

const scope = z.union([
  z.literal("all"),
  z.object({ external_user_ref: text(1, 128) }),
  z.object({ session_id: text(1, 64) })
])

export const arcFields = influence.extend({
  starts_at: moment.nullable().default(null),
  ends_at: moment.nullable().default(null),
  recurrence: recurrence.default("none").meta({
    description: "A recurring influence requires starts_at and ends_at. They repeat in the time zone of the character"
  }),
  scope: scope.default("all").meta({ description: "Applies to all, one person, or one session" }),
  cancelled: z.boolean().default(false)
})
export const ArcCreate = arcFields.superRefine(({ starts_at, ends_at, recurrence }, context) => {
  const missing =
    recurrence === "none" ? undefined : starts_at === null ? "starts_at" : ends_at === null ? "ends_at" : undefined
  if (missing !== undefined)
    return context.addIssue({ code: "custom", path: [missing], message: "Required for a recurring influence" })
  if (starts_at === null || ends_at === null) return
  const days = (Date.parse(ends_at) - Date.parse(starts_at)) / DAY_MS
  if (days <= 0) context.addIssue({ code: "custom", path: ["ends_at"], message: "Must be after starts_at" })
  else if (days > LONGEST_DAYS[recurrence])
    context.addIssue({ code: "custom", path: ["ends_at"], message: "Must end before it starts again" })
})
export const ArcPatch = mergePatchOf(arcFields).meta({
  description: "JSON merge patch (RFC 7396): null clears a field"
})

const time = z.iso.datetime()
export const ArcData = z.object({
  id: z.string(),
  character_slug: z.string(),
  kind,
  guidance: z.string(),
  effect: z.object({
    valence: z.number(),
    arousal: z.number(),
    topic: z.string().nullable(),
    score_bias: z.record(z.string(), z.number())
  }),
  weight: z.number(),
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  recurrence,
  scope: z.union([z.literal("all"), z.object({ external_user_ref: z.string() }), z.object({ session_id: z.string() })]),
  cancelled: z.boolean(),
  status: z.enum(ARC_STATUSES).describe("By time. A recurring influence is scheduled between two occurrences"),
  created_at: time,
  updated_at: time
})
export const ArcPage = z.object({ arc_influences: z.array(ArcData), next_cursor: z.string().nullable() })
