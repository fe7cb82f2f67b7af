import { RE2JS } from "re2js"
import * as z from "zod"
import { text } from "#src/http/schemas/text.ts"

/** Authored patterns run on every reply, so they are RE2's, whose time is linear in the text: no backreferences, no lookaround. */
export const isRe2 = (pattern: string): boolean => {
  try {
    RE2JS.compile(pattern)
    return true
  } catch {
    return false
  }
}

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
