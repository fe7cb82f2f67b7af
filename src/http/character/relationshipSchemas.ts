import * as z from "zod"
import { languageTag } from "#src/http/server/schemas/locale.ts"
import { between, unit } from "#src/http/server/schemas/number.ts"
import { proactiveControls } from "./proactiveControls.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const dimension = z.object({
  key: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  label: text(1, 60).optional(),
  start: unit().optional(),
  baseline: unit().optional().meta({ description: "The value that the score drifts back to" }),
  lower_is_open: z.boolean().optional(),
  max_delta_per_turn: between(0.005, 0.2).optional().meta({ description: "Default 0.05" }),
  half_life_days: between(1, 365).nullable().optional().meta({ description: "null: the score does not drift" })
})

const dimensions = z
  .array(dimension)
  .max(8)
  .superRefine((list, context) => {
    const seen = new Set<string>()
    for (const [index, { key }] of list.entries()) {
      if (seen.has(key))
        context.addIssue({ code: "custom", path: [index, "key"], message: "Must be unique among the dimensions" })
      seen.add(key)
    }
  })

export const relationshipPosture = z
  .object({
    schema: z
      .enum(["friendship", "dating", "mentor", "rivalry", "custom"])
      .optional()
      .meta({ description: "Default friendship" }),
    pace: z.enum(["slow", "medium", "fast"]).optional().meta({ description: "Default medium" }),
    dimensions: dimensions.optional(),
    boundaries: texts(20, 200).optional()
  })
  .meta({ description: "How closeness develops, and its limits" })

/** The 28 labels of GoEmotions. */
export const Emotion = z
  .enum([
    "admiration",
    "amusement",
    "anger",
    "annoyance",
    "approval",
    "caring",
    "confusion",
    "curiosity",
    "desire",
    "disappointment",
    "disapproval",
    "disgust",
    "embarrassment",
    "excitement",
    "fear",
    "gratitude",
    "grief",
    "joy",
    "love",
    "nervousness",
    "optimism",
    "pride",
    "realization",
    "relief",
    "remorse",
    "sadness",
    "surprise",
    "neutral"
  ])
  .meta({ title: "Emotion" })

export const baselineEmotion = z
  .object({
    label: Emotion.optional().meta({ description: "Default neutral" }),
    valence: between(-1, 1).optional(),
    arousal: unit().optional(),
    recovery_half_life_minutes: between(5, 10_080).optional().meta({ description: "Default 180" })
  })
  .meta({ description: "The mood the character returns to" })

export const behavioralThresholds = proactiveControls
  .extend({
    withhold: unit().optional().meta({ description: "Tendency to leave a message unanswered. Default 0" }),
    exit: unit().optional().meta({ description: "Tendency to leave the chat permanently. Default 0" }),
    disclosure: unit()
      .optional()
      .meta({
        description:
          "Tendency to talk about itself. It sets the trust that a `trusted` secret without min_trust " +
          "requires, from 0.8 (at 0) to 0.4 (at 1). Default 0.5"
      })
  })
  .meta({
    description: "What the character does unprompted. A session's proactive controls override the first nine fields"
  })

export const safety = z.object({
  content_rating: z
    .enum(["general", "teen", "mature"])
    .optional()
    .meta({
      description:
        "What replies may contain. general: no sexual content, strong language or gore. teen: no sexual " +
        "content or gore. mature: everything that the other rules allow. Default general"
    }),
  age_band: z.enum(["adult", "teen", "child"]).optional().meta({ description: "Age of the character. Default adult" }),
  ai_disclosure: z.enum(["explicit", "when_asked"]).optional().meta({ description: "Default when_asked" }),
  crisis_locale: languageTag().optional().meta({ description: "Region of the crisis lines that are given" })
})
