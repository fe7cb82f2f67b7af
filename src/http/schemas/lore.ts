import * as z from "zod"
import { unit, wholeBetween } from "#src/http/schemas/number.ts"
import { text, texts } from "#src/http/schemas/text.ts"

export const LoreEntry = z.object({
  keys: texts(20, 100).optional().meta({ description: "Words that call the entry up" }),
  secondary_keys: texts(20, 100).optional(),
  logic: z.enum(["and_any", "and_all", "not_any", "not_all"]).optional()
    .meta({ description: "How the secondary keys count. Default and_any" }),
  content: text(1, 2000),
  constant: z.boolean().optional().meta({ description: "Always in the prompt, whatever the keys. Default false" }),
  priority: wholeBetween(0, 100).optional(),
  probability: unit().optional().meta({ description: "Default 1" }),
  sticky_turns: wholeBetween(0, 50).optional(),
  cooldown_turns: wholeBetween(0, 200).optional(),
  delay_turns: wholeBetween(0, 200).optional(),
  min_trust: unit().nullable().optional(),
  group: text(0, 60).optional().meta({ description: "Of the entries of one group, one is taken" }),
  enabled: z.boolean().optional().meta({ description: "Default true" })
})
export type LoreEntry = z.output<typeof LoreEntry>
