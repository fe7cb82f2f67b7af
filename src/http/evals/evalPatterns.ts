import type * as z from "zod"
import { MAX_STYLE_COST, weightOf } from "#pipeline/patterns.ts"
import { isRe2, NOT_RE2 } from "#src/http/server/schemas/re2.ts"
import type { checks } from "./evalCheckSchemas.ts"

type Checks = z.output<typeof checks>
interface Checked {
  readonly turns: ReadonlyArray<{ readonly expect: Checks }>
  readonly expect: Checks
}

/** The patterns of a suite, with their paths. */
const patternsOf = (all: ReadonlyArray<Checked>) =>
  all.flatMap(({ turns, expect }, n) =>
    [
      { list: expect, path: [n, "expect"] },
      ...turns.map((turn, m) => ({ list: turn.expect, path: [n, "turns", m, "expect"] }))
    ].flatMap(({ list, path }) =>
      list.flatMap((asked, k) =>
        asked.type === "regex" ? [{ pattern: asked.value, path: [...path, k, "value"] }] : []
      )
    )
  )

/** Patterns are only compiled once their total cost, which is computed from their text, is within the limit. */
export const checkPatterns = (all: ReadonlyArray<Checked>, context: z.RefinementCtx) => {
  const patterns = patternsOf(all)
  if (patterns.reduce((sum, { pattern }) => sum + weightOf(pattern), 0) > MAX_STYLE_COST) {
    return context.addIssue({
      code: "custom",
      path: [],
      message: "The regular expressions of the suite are too large in total"
    })
  }
  for (const { pattern, path } of patterns)
    if (!isRe2(pattern)) context.addIssue({ code: "custom", path, message: NOT_RE2 })
}
