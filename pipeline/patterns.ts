import { RE2JS } from "re2js"

/** Limit for one pattern, by `costOf`. A pattern written by hand costs about ten. */
export const MAX_COST = 500
/** A longer pattern is too large regardless of its cost: empty groups cost nothing but still have to be read. */
const LONGEST = 5_000
/** Limit for all patterns that a character's replies are checked against. */
export const MAX_STYLE_COST = 5_000
/** Limit for all patterns of one lore. */
export const MAX_LORE_COST = 20_000

/**
 * A quotation, an escape, a class or a repeat count as one token, else a single character. An unclosed one extends to
 * the end, so that the text is read only once.
 */
const TOKEN = new RegExp(
  String.raw`\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|\\?$)|` +
    String.raw`\{(\d{1,4})(?:,(\d{0,4}))?\}|.`,
  "gsu"
)

/**
 * The size of a pattern once its counted repeats are expanded, as RE2 does it, computed from the text alone. Large
 * patterns take long to compile and to search for. Infinity if the parentheses do not match.
 */
export const costOf = (pattern: string): number => {
  if (pattern.length > LONGEST) return Infinity
  const open = [0]
  let last = 0
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === "(") {
      open.push(0)
      continue
    }
    if (token === ")") {
      last = open.pop() ?? 0
      if (open.length === 0) return Infinity
    } else if (least !== undefined) {
      const more = last * (Math.max(Number(least), Number(most ?? 0), 1) - 1)
      open.push((open.pop() ?? 0) + more)
      last += more
      continue
    } else last = token.startsWith("\\Q") ? token.length : 1
    open.push((open.pop() ?? 0) + last)
  }
  return open.reduce((sum, size) => sum + size, 0)
}

/**
 * Limit for Unicode classes (`\\pL`) in one pattern. Patterns written by hand have one or two. Each takes as long to
 * compile as about forty letters.
 */
const MAX_UNICODE_CLASSES = 12
const UNICODE_CLASS_WEIGHT = 40
const UNICODE_CLASS = /\\[pP]/g
const unicodeClassesOf = (pattern: string): number => pattern.match(UNICODE_CLASS)?.length ?? 0

/**
 * How long a pattern takes to compile, estimated from its text, in units of `costOf`. For the limits on all patterns
 * together.
 */
export const weightOf = (pattern: string): number =>
  Math.max(costOf(pattern), UNICODE_CLASS_WEIGHT * unicodeClassesOf(pattern))

/**
 * Compiles an authored pattern, which runs on every turn. Null if it is not valid RE2, which runs in linear time, or if
 * it is too large.
 */
export const compilePattern = (pattern: string, flags = 0): RE2JS | null => {
  if (costOf(pattern) > MAX_COST || unicodeClassesOf(pattern) > MAX_UNICODE_CLASSES) return null
  try {
    return RE2JS.compile(pattern, flags)
  } catch {
    return null
  }
}

const LORE_PATTERN = /^\/(.*)\/([gimsuy]*)$/s

/** A lore key that is a pattern, as SillyTavern writes it. Null for any other key. */
export const lorePattern = (key: string): { readonly pattern: string; readonly flags: string } | null => {
  const [, pattern, flags = ""] = LORE_PATTERN.exec(key) ?? []
  return pattern === undefined ? null : { pattern, flags }
}

interface Keyed {
  readonly keys?: ReadonlyArray<string> | undefined
  readonly secondary_keys?: ReadonlyArray<string> | undefined
}

/** The total cost of the patterns in these entries. */
export const loreCost = (entries: ReadonlyArray<Keyed>): number =>
  entries.reduce(
    (sum, { keys = [], secondary_keys: secondary = [] }) =>
      sum +
      [...keys, ...secondary].reduce((cost, key) => {
        const pattern = lorePattern(key)?.pattern
        return pattern === undefined ? cost : cost + weightOf(pattern)
      }, 0),
    0
  )
