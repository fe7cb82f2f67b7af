import * as z from "zod"
import { nearest } from "#src/http/server/nearest.ts"
import { receivedAt, valueAt } from "./found.ts"
import { jsonPath } from "./jsonPath.ts"

export type Issue = z.core.$ZodIssue

/** More are counted only, so that an answer stays readable. */
const MAXIMUM_QUOTED = 20
/** So many fields are named by what to do about them. */
const MAXIMUM_NAMED = 5

/** Among so many fields of an object, a misspelt one is looked for. */
const MAXIMUM_SIBLINGS = 100

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

/** What was found instead. What is missing has none, and of an object that fails a check of its own it says nothing. */
const foundIn = ({ code, message, path }: Issue, input: unknown): string => {
  if (code === "unrecognized_keys" || message.startsWith("Required")) return ""
  const received = receivedAt(path, input, message)
  return code === "custom" && received === ", received an object" ? "" : received
}

export type Where = "body" | "query" | "params" | "headers"

/**
 * `body.voice_samples[2].text: Required; body.slug: Required`. With the input that was refused, it also says what was
 * found.
 */
export const quoteIssues = (issues: ReadonlyArray<Issue>, where: Where, input?: unknown): string => {
  const all = issues.flatMap(unfold)
  const quoted = all
    .slice(0, MAXIMUM_QUOTED)
    .map((issue) => `${jsonPath(issue.path, where)}: ${issue.message}${foundIn(issue, input)}`)
  const more = all.length - quoted.length
  return [...quoted, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")
}

const named = (verb: string, fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = [...new Set(fields)]
  const more = names.length - MAXIMUM_NAMED
  const list = names.slice(0, MAXIMUM_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "")
  return names.length === 0 ? [] : [`${verb} ${list}`]
}

/** The fields beside a missing one, which may be misspelt. */
const besides = (input: unknown, path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const parent = valueAt(input, path.slice(0, -1))
  return typeof parent === "object" && parent !== null && !Array.isArray(parent)
    ? Object.keys(parent).slice(0, MAXIMUM_SIBLINGS)
    : []
}

/** `Rename body.txt to text. Add body.slug. Correct body.voice. Then send the request again.` */
export const fixOf = (issues: ReadonlyArray<Issue>, where: Where, input: unknown): string => {
  const all = issues.flatMap(unfold).slice(0, MAXIMUM_QUOTED)
  const renamed = new Set<Issue>()
  const renames = all.flatMap((issue) => {
    const field = issue.path.at(-1)
    if (issue.message !== "Required" || typeof field !== "string") return []
    const typo = nearest(field, besides(input, issue.path))
    if (typo === undefined) return []
    renamed.add(issue)
    return [`Rename ${jsonPath([...issue.path.slice(0, -1), typo], where)} to ${field}`]
  })
  const rest = all.filter((issue) => !renamed.has(issue))
  const pathOf = ({ path }: Issue) => jsonPath(path, where)
  const acts = [
    ...renames.slice(0, MAXIMUM_NAMED),
    ...named("Add", rest.filter(({ message }) => message === "Required").map(pathOf)),
    ...named("Correct", rest.filter(({ message }) => message !== "Required").map(pathOf))
  ]
  return `${acts.join(". ")}. Then send the request again.`
}
