import * as z from "zod"
import { jsonPath } from "#src/http/jsonPath.ts"

export type Issue = z.core.$ZodIssue

const MAXIMUM_QUOTED = 5

// An issue no longer knows its input, so a missing key can only be named while parsing; JSON has no other undefined.
z.config({ customError: ({ input, code }) => input === undefined && code !== "custom" ? "Required" : undefined })

const isAboutWhole = (issue: Issue): boolean => issue.path.length === 0 && issue.code === "invalid_type"

/** The issues of the branch of a union that the value was meant for: the one that does not refuse its very type. */
export const unfold = (issue: Issue): ReadonlyArray<Issue> => {
  if (issue.code !== "invalid_union" || issue.message === "Required") return [issue]
  const meant = issue.errors.filter((branch) => !branch.some(isAboutWhole))
  const [branch] = meant
  if (meant.length === 1 && branch !== undefined) {
    return branch.flatMap((inner) => unfold({ ...inner, path: [...issue.path, ...inner.path] }))
  }
  const expected = issue.errors.flat().flatMap((inner) => inner.code === "invalid_type" ? [inner.expected] : [])
  return [expected.length > 0 && meant.length === 0 ? { ...issue, message: `Invalid input: expected ${expected.join(" or ")}` } : issue]
}

/** `body.voice_samples[2].text: Required; body.slug: Required` */
export const quoteIssues = (issues: ReadonlyArray<Issue>, where: "body" | "query" | "params" | "headers"): string =>
  issues.flatMap(unfold).slice(0, MAXIMUM_QUOTED).map((issue) => `${jsonPath(issue.path, where)}: ${issue.message}`).join("; ")
