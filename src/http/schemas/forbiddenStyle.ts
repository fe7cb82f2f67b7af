import * as z from "zod"
import { linearRegexProblem } from "#src/http/linearRegex.ts"
import { text } from "#src/http/schemas/text.ts"

const forbidden = z.object({
  kind: z.enum(["phrase", "regex", "topic", "behavior"]).optional().meta({ description: "Default phrase" }),
  value: text(1, 200),
  action: z.enum(["rewrite", "block"]).optional().meta({ description: "Default rewrite" }),
  reason: text(0, 200).optional()
}).superRefine(({ kind, value }, context) => {
  const problem = kind === "regex" ? linearRegexProblem(value) : null
  if (problem !== null) context.addIssue({ code: "custom", path: ["value"], message: problem })
})

export const forbiddenStyle = z.array(forbidden).max(50).meta({
  description: "What the character never says. A regex has neither backreferences nor lookaround, and repeats no group that varies",
  examples: [[{ kind: "phrase", value: "as an AI", action: "rewrite", reason: "breaks the fiction" }]]
})
