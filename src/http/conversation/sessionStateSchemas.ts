import * as z from "zod"
import { SessionData } from "./sessionSchemas.ts"

const time = z.iso.datetime()

export const relationshipScores = z.array(
  z.object({
    key: z.string(),
    label: z.string(),
    value: z.number(),
    lower_is_open: z.boolean(),
    updated_at: time,
    version: z.string()
  })
)

/** Contract 2.5. */
export const RelationalMeter = z.object({
  relationship_scores: relationshipScores.describe(
    "Current values, one for each dimension of the character's posture. Empty until the app opts in"
  ),
  score_contract: z.object({
    score_version: z.literal("relationship_scores.v1"),
    scale: z.object({ min: z.number(), max: z.number() }),
    semantics: z.object({ monotonic: z.boolean(), may_move_down: z.boolean() })
  }),
  redacted: z.boolean().describe("true until the app opts in with expose_relational_numerics")
})

const story = z.object({
  storyline_id: z.string(),
  title: z.string(),
  current_beat: z.string(),
  entered_at: time
})

export const ProactiveStateData = z.object({
  effective: z.record(z.string(), z.union([z.boolean(), z.number()])),
  sources: z.record(z.string(), z.enum(["session", "character", "app"])),
  next_eligible_at: time.nullable().describe("When the character may next write first, as of now. null: not by itself")
})

export const SessionStateData = z.object({
  session: SessionData,
  turn: z.object({ state: z.enum(["idle", "generating"]), run_ref: z.string().nullable() }),
  emotion: z.object({ label: z.string(), valence: z.number(), arousal: z.number(), updated_at: time }),
  relational_meter: RelationalMeter,
  stage: z.string().nullable(),
  open_loop_count: z.int(),
  storyline: story.nullable(),
  proactive: ProactiveStateData
})
