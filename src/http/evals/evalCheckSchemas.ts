import * as z from "zod"
import { HAPPENINGS, RUBRICS, SAFETY_ACTIONS } from "#pipeline/evals/Check.ts"
import { costOf, MAX_COST } from "#pipeline/patterns.ts"
import { languageTag } from "#src/http/server/schemas/locale.ts"
import { between, unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { NOT_RE2 } from "#src/http/server/schemas/re2.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

/** The key of a case, or of a memory in its setup. */
export const key = () =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_.-]{0,63}$/,
      "Invalid key: expected 1 to 64 of a-z, 0-9, '_', '.' and '-', beginning with a letter or digit"
    )

const type = <const T extends string>(name: T) => z.literal(name)
const words = (name: "contains" | "not_contains") =>
  z.object({ type: type(name), value: text(1, 500).meta({ description: "Case-insensitive" }) })
const bare = <const T extends string>(name: T) => z.object({ type: type(name) })
const ofMemory = (name: "recalls" | "not_recalls") =>
  z.object({ type: type(name), value: key().meta({ description: "Key of a memory in setup" }) })
const ofLoop = (name: "loop_opened" | "loop_resolved") =>
  z.object({
    type: type(name),
    value: text(1, 300).optional().meta({ description: "Words of the loop. Default: any loop" })
  })

/** The range of scores for each rubric. */
const SCALES = { flaw_critique: [0, 100], pairwise_vs_baseline: [0, 1] } as const
const scaleOf = (rubric: (typeof RUBRICS)[number]): readonly [number, number] =>
  rubric === "flaw_critique" || rubric === "pairwise_vs_baseline" ? SCALES[rubric] : [1, 5]

export const evalCheck = z.discriminatedUnion("type", [
  words("contains"),
  words("not_contains"),
  z.object({ type: type("regex"), value: text(1, 500).refine((pattern) => costOf(pattern) <= MAX_COST, NOT_RE2) }),
  z.object({ type: type("max_bubbles"), value: wholeBetween(0, 100) }),
  z.object({ type: type("max_chars"), value: wholeBetween(0, 100_000) }),
  z.object({ type: type("language"), value: languageTag() }),
  z.object({
    type: type("event_type"),
    value: z.enum(HAPPENINGS).meta({ description: "How the turn ended, or an event that it added to the log" })
  }),
  bare("forbidden_style_clean"),
  bare("no_assistant_tells"),
  bare("discloses_ai"),
  ofMemory("recalls"),
  ofMemory("not_recalls"),
  bare("cites_only_setup"),
  z.object({ type: type("emotion_in"), value: texts(30, 40).min(1) }),
  z.object({ type: type("score_direction"), key: text(1, 60), value: z.enum(["up", "down", "flat"]) }),
  ofLoop("loop_opened"),
  ofLoop("loop_resolved"),
  z.object({ type: type("safety_action"), value: z.enum(SAFETY_ACTIONS) }),
  bare("no_repeat"),
  z.object({ type: type("latency_ms_max"), value: between(0, 600_000) }),
  z.object({ type: type("cost_usd_max"), value: between(0, 1_000) }),
  z.object({
    type: type("retrieval_recall_at_k"),
    keys: z.array(key()).min(1).max(50),
    k: wholeBetween(1, 50),
    value: unit()
      .optional()
      .meta({ description: "Minimum share of the keys that must be among the first k results. Default 1" })
  }),
  z
    .object({ type: type("judge"), rubric: z.enum(RUBRICS), min: z.number() })
    .superRefine(({ rubric, min }, context) => {
      const [least, most] = scaleOf(rubric)
      if (min < least || min > most)
        context.addIssue({ code: "custom", path: ["min"], message: `Must be from ${least} to ${most} for ${rubric}` })
    })
])
export const checks = z.array(evalCheck).max(30).default([])
