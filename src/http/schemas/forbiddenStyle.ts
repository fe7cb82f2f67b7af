import * as z from "zod"
import { isRe2 } from "#src/http/schemas/re2.ts"
import { text } from "#src/http/schemas/text.ts"

const forbidden = z.object({
  kind: z.enum(["phrase", "regex", "topic", "behavior"]).optional().meta({ description: "Default phrase" }),
  value: text(1, 200),
  action: z.enum(["rewrite", "block"]).optional().meta({ description: "Default rewrite" }),
  reason: text(0, 200).optional()
}).superRefine(({ kind, value }, context) => {
  if (kind === "regex" && !isRe2(value)) {
    context.addIssue({ code: "custom", path: ["value"], message: "Must be a regular expression in RE2 syntax: no backreferences, no lookaround" })
  }
})

export const forbiddenStyle = z.array(forbidden).max(50).meta({
  description: "What the character never says. A regex is in RE2 syntax: no backreferences, no lookaround",
  examples: [[{ kind: "phrase", value: "as an AI", action: "rewrite", reason: "breaks the fiction" }]]
})
