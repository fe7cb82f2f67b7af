import * as z from "zod"
import { checks, key } from "./evalCheckSchemas.ts"
import { checkPatterns } from "./evalPatterns.ts"
import { MemoryCreate } from "#src/http/memory/memorySchemas.ts"
import { languageTag, timezone } from "#src/http/server/schemas/locale.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, unit } from "#src/http/server/schemas/number.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const setup = z
  .object({
    memories: z
      .array(MemoryCreate.extend({ key: key() }))
      .max(50)
      .default([])
      .meta({ description: "What the character remembers. Checks refer to memories by key" }),
    scores: z
      .record(z.string().max(60), unit())
      .default({})
      .meta({ description: "Scores by the key of the dimension" }),
    emotion: z.object({ label: text(1, 40), valence: between(-1, 1), arousal: unit() }).optional(),
    clock: moment
      .optional()
      .meta({ description: "When the session opens, and its clock continues from there. Default: now" }),
    end_user: z
      .object({
        display_name: text(1, 80).nullable().optional(),
        timezone: timezone().nullable().optional(),
        locale: languageTag().nullable().optional(),
        age_band: z.enum(["adult", "minor", "unknown"]).nullable().optional()
      })
      .default({})
  })
  .prefault({})

const caseShape = z.object({
  key: key(),
  setup,
  turns: z
    .array(z.object({ user: text(1, 8_000), expect: checks }))
    .min(1)
    .max(40),
  expect: checks.meta({ description: "Checks of the whole case" }),
  tags: texts(20, 40).default([]),
  weight: between(0.01, 100).default(1)
})
type Case = z.output<typeof caseShape>

const requireOwnKeys = ({ setup: { memories } }: Case, context: z.RefinementCtx) => {
  if (new Set(memories.map((memory) => memory.key)).size < memories.length)
    context.addIssue({
      code: "custom",
      path: ["setup", "memories"],
      message: "Each memory must have a unique key"
    })
}

const requireCheck = ({ turns, expect }: Case, context: z.RefinementCtx) => {
  if (expect.length + turns.reduce((sum, turn) => sum + turn.expect.length, 0) === 0)
    context.addIssue({
      code: "custom",
      path: ["expect"],
      message: "A case must have at least one check, on the case or on a turn"
    })
}

/** Checks refer to memories of the setup by key. */
const requireKnownMemories = ({ setup: { memories }, turns, expect }: Case, context: z.RefinementCtx) => {
  const known = new Set(memories.map((memory) => memory.key))
  const lists = [
    { list: expect, path: ["expect"] as Array<string | number> },
    ...turns.map((turn, index) => ({ list: turn.expect, path: ["turns", index, "expect"] }))
  ]
  for (const { list, path } of lists) {
    for (const [index, asked] of list.entries()) {
      const named =
        asked.type === "recalls" || asked.type === "not_recalls"
          ? [{ name: asked.value, at: ["value"] }]
          : asked.type === "retrieval_recall_at_k"
            ? asked.keys.map((name, n) => ({ name, at: ["keys", n] }))
            : []
      for (const { name, at } of named) {
        if (!known.has(name))
          context.addIssue({
            code: "custom",
            path: [...path, index, ...at],
            message: `No memory in setup has the key ${name}`
          })
      }
    }
  }
}

const oneCase = caseShape.superRefine((given, context) => {
  requireOwnKeys(given, context)
  requireCheck(given, context)
  requireKnownMemories(given, context)
})

export const cases = z
  .array(oneCase)
  .min(1)
  .max(200)
  .superRefine((all, context) => {
    checkPatterns(all, context)
    if (new Set(all.map((one) => one.key)).size < all.length)
      context.addIssue({ code: "custom", path: [], message: "Each case must have a unique key" })
  })
