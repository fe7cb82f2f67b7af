import * as Result from "effect/Result"
import { isTooDeep } from "#pipeline/isTooDeep.ts"

/** Why a text holds no object of a shape. `detail`: what is wrong with the last object. */
export interface Missing {
  readonly code: "truncated_json" | "invalid_json" | "schema_mismatch"
  readonly detail: string | null
}
type Decode<A> = (value: unknown) => Result.Result<A, string>

interface Span {
  readonly start: number
  /** Past the last brace. */
  readonly end: number
}

/** The end of the object that opens at `start`, past its last brace. -1 if it does not close. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at + 1
  }
  return -1
}

/** How an object begins, and not a brace in prose. */
const OPENS_OBJECT = /^\{\s{0,40}(?:\\?"|\}|$)/
const opensObject = (text: string, start: number): boolean => OPENS_OBJECT.test(text.slice(start, start + 50))

/** How many braces without an end are looked behind. */
const MAX_UNCLOSED = 10
/** How many objects are tried, from the last. */
const MAX_TRIED = 20

/** The last complete objects of a text, and where the last one begins that does not close. -1: none. */
const spansIn = (text: string): { readonly spans: ReadonlyArray<Span>; readonly cutAt: number } => {
  const spans: Array<Span> = []
  let unclosed = 0
  let cutAt = -1
  let first = -1
  for (let start = text.indexOf("{"); start !== -1;) {
    const end = endOfObject(text, start)
    if (end === -1) {
      if (unclosed === 0) first = start
      if (opensObject(text, start)) cutAt = start
      if (++unclosed > MAX_UNCLOSED) break
    } else {
      spans.push({ start, end })
      if (spans.length > MAX_TRIED) spans.shift()
    }
    start = text.indexOf("{", end === -1 ? start + 1 : end)
  }
  return { spans, cutAt: cutAt === -1 && spans.length === 0 ? first : cutAt }
}

const CONTROL: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** A text with what models get wrong about JSON put right: raw line breaks in strings, and commas before an end. */
const mended = (text: string): string => {
  const kept: Array<string> = []
  let quoted = false
  let comma = -1
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (quoted) {
      kept.push(CONTROL[char] ?? char)
      if (char === "\\") kept.push(text[++at] ?? "")
      else if (char === '"') quoted = false
      continue
    }
    if (comma !== -1 && (char === "}" || char === "]")) kept[comma] = ""
    if (char === ",") comma = kept.length
    else if (!/\s/.test(char)) comma = -1
    if (char === '"') quoted = true
    kept.push(char)
  }
  return kept.join("")
}

const parseJson = (text: string): Result.Result<unknown, unknown> =>
  Result.orElse(
    Result.try((): unknown => JSON.parse(text)),
    () => Result.try((): unknown => JSON.parse(mended(text)))
  )

/** How many values are looked at in one object, and how deep. */
const MAX_VALUES = 100
const MAX_DEPTH = 4
/** Maximum nesting of an object: several times what any answer has. */
const DEEPEST = 64

/** The last value of the shape in a value: itself, or in an object, a list or a text that holds it. */
const inValue = <A>(value: unknown, decode: Decode<A>): Result.Result<A, string> => {
  let looked = 0
  const look = (inner: unknown, depth: number): Result.Result<A, string> => {
    if (typeof inner === "string") {
      const json = inner.includes("{") ? Result.try((): unknown => JSON.parse(inner)) : Result.fail("")
      return Result.isSuccess(json) && typeof json.success === "object" ? look(json.success, depth) : Result.fail("")
    }
    if (typeof inner !== "object" || inner === null || isTooDeep(inner, DEEPEST) || ++looked > MAX_VALUES)
      return Result.fail("")
    const own = Array.isArray(inner) ? Result.fail("") : decode(inner)
    if (Result.isSuccess(own) || depth === MAX_DEPTH) return own
    for (const one of Object.values(inner).slice(-MAX_VALUES).toReversed()) {
      const found = look(one, depth + 1)
      if (Result.isSuccess(found)) return found
    }
    return own
  }
  return look(value, 0)
}

/**
 * The last complete JSON object of a shape: bare, in a code fence, in another object or a text, or after an
 * introduction or a draft. If a last object does not close, it is the answer, and it is cut.
 */
export const lastOfShape = <A>(text: string, decode: Decode<A>, depth = 0): Result.Result<A, Missing> => {
  const whole = /^["[]/.test(text) ? Result.try((): unknown => JSON.parse(text)) : Result.fail("")
  const quoted = Result.isSuccess(whole) ? inValue(whole.success, decode) : Result.fail("")
  if (Result.isSuccess(quoted)) return Result.succeed(quoted.success)
  const { spans, cutAt } = spansIn(text)
  let missing: Missing | null = null
  for (const { start, end } of spans.toReversed()) {
    // An object that begins later, and is cut, is the answer.
    if (cutAt > start) break
    const parsed = parseJson(text.slice(start, end))
    const found = Result.isSuccess(parsed)
      ? Result.mapError(inValue(parsed.success, decode), (detail): Missing => ({ code: "schema_mismatch", detail }))
      : // Braces of prose may enclose an object.
        depth < MAX_DEPTH
        ? lastOfShape(text.slice(start + 1, end - 1), decode, depth + 1)
        : Result.fail<Missing>({ code: "invalid_json", detail: null })
    if (Result.isSuccess(found)) return Result.succeed(found.success)
    if (missing === null || missing.code !== "schema_mismatch") missing = found.failure
  }
  const unread: Missing = { code: cutAt === -1 ? "invalid_json" : "truncated_json", detail: null }
  return Result.fail(cutAt === -1 ? (missing ?? unread) : unread)
}

/**
 * An object that broke off, with its end. A text in which it broke off is shortened by `whole`, and left out if nothing
 * remains. Null: it was the first of its list.
 */
export const closed = (text: string, whole: (text: string) => string): string | null => {
  const ends: Array<string> = []
  let openedAt = -1
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (openedAt !== -1) {
      if (char === "\\") at++
      else if (char === '"') openedAt = -1
    } else if (char === '"') openedAt = at
    else if (char === "{") ends.push("}")
    else if (char === "[") ends.push("]")
    else if (char === "}" || char === "]") ends.pop()
  }
  const said = openedAt === -1 ? "" : whole(text.slice(openedAt + 1))
  const before = openedAt === -1 ? text.trimEnd() : text.slice(0, openedAt).trimEnd()
  if (said === "" && before.endsWith("[")) return null
  return `${before}${said === "" ? "" : `"${said}"`}${ends.toReversed().join("")}`
}
