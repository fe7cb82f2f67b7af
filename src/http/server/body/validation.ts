import * as z from "zod"
import { jsonPath } from "./jsonPath.ts"

export type Issue = z.core.$ZodIssue

const MAXIMUM_QUOTED = 5

/** What text of a format looks like, for error messages. zod's own messages only name the format. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: "an ISO 8601 date-time with a time zone, such as 2026-01-31T12:00:00Z",
  date: "an ISO 8601 date, such as 2026-01-31",
  time: "a time, such as 12:30",
  url: "an absolute URL, such as https://example.com/path",
  email: "an email address, such as ann@example.com",
  base64: "base64 with padding and without line breaks"
}

const messageOf = (issue: z.core.$ZodRawIssue): string | undefined => {
  // An issue no longer has its input, so a missing key can only be recognized while parsing. JSON has no other
  // undefined.
  if (issue.input === undefined && issue.code !== "custom") return "Required"
  const format = issue.code === "invalid_format" ? FORMATS[issue.format] : undefined
  return format === undefined ? undefined : `Invalid input: expected ${format}`
}
z.config({ customError: messageOf })

const isAboutWhole = (issue: Issue): boolean => issue.path.length === 0 && issue.code === "invalid_type"

const EXPECTED = /^Invalid (?:input|option): expected (?:one of )?/

/** What each branch expects, in one sentence. Null: a branch has another kind of issue. */
const anyOf = (branches: ReadonlyArray<ReadonlyArray<Issue>>): string | null => {
  const messages = branches
    .flatMap((branch) => (branch.length === 1 ? branch.flatMap(unfold) : branch))
    .map(({ message }) => message)
  if (messages.length === 0 || !messages.every((message) => EXPECTED.test(message))) return null
  const expected = messages.map((message) => message.replace(EXPECTED, "").replace(/, received \w+$/, ""))
  return `Invalid input: expected ${[...new Set(expected)].join(" or ")}`
}

/**
 * The issues of the union branch that the value was meant for: the one that accepts its type, and of several such
 * branches the one with the fewest issues. If all branches are about the value itself, a single issue that says what
 * each expects.
 */
export const unfold = (issue: Issue): ReadonlyArray<Issue> => {
  if (issue.code !== "invalid_union" || issue.message === "Required") return [issue]
  const meant = issue.errors.filter((branch) => !branch.some(isAboutWhole))
  const aboutValue = issue.errors.filter((branch) => branch.every(({ path }) => path.length === 0))
  const message = aboutValue.length < issue.errors.length && meant.length > 0 ? null : anyOf(aboutValue)
  if (message !== null) return [{ ...issue, message }]
  const [branch] = meant.toSorted((a, b) => a.length - b.length)
  return branch?.flatMap((inner) => unfold({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue]
}

/** `body.voice_samples[2].text: Required; body.slug: Required` */
export const quoteIssues = (issues: ReadonlyArray<Issue>, where: "body" | "query" | "params" | "headers"): string =>
  issues
    .flatMap(unfold)
    .slice(0, MAXIMUM_QUOTED)
    .map((issue) => `${jsonPath(issue.path, where)}: ${issue.message}`)
    .join("; ")
