import * as z from "zod"
import { MAX_STYLE_COST, weightOf } from "#pipeline/patterns.ts"
import { isRe2, NOT_RE2 } from "#src/http/server/schemas/re2.ts"
import { text } from "#src/http/server/schemas/text.ts"

const forbidden = z
  .object({
    kind: z.enum(["phrase", "regex", "topic", "behavior"]).optional().meta({ description: "Default phrase" }),
    value: text(1, 200),
    action: z.enum(["rewrite", "block"]).optional().meta({ description: "Default rewrite" }),
    reason: text(0, 200).optional()
  })
  .superRefine(({ kind, value }, context) => {
    if (kind === "regex" && !isRe2(value)) {
      context.addIssue({ code: "custom", path: ["value"], message: NOT_RE2 })
    }
  })

export const forbiddenStyle = z
  .array(forbidden)
  .max(50)
  .superRefine((rules, context) => {
    const cost = rules.reduce((sum, { kind, value }) => (kind === "regex" ? sum + weightOf(value) : sum), 0)
    if (cost > MAX_STYLE_COST)
      context.addIssue({
        code: "custom",
        message: "The regular expressions are too large. Each one is matched against every reply"
      })
  })
  .meta({
    description: "What the character must not say. A regex uses RE2 syntax, without backreferences and lookaround",
    examples: [[{ kind: "phrase", value: "as an AI", action: "rewrite", reason: "breaks the fiction" }]]
  })
