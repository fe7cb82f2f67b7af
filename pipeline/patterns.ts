import { RE2JS } from "re2js"

/** Of one pattern, by `costOf`. What somebody writes by hand has some ten. */
export const MOST_COST = 500
/** A longer pattern is too large, whatever it costs: empty groups cost nothing, and still have to be read. */
const LONGEST = 5_000
/** Of the patterns together that a character's replies are held to. */
export const MOST_STYLE_COST = 5_000
/** Of the patterns of one lore together. */
export const MOST_LORE_COST = 20_000

/**
 * A quotation, an escape, a class or a count of repeats as a whole; else one character. One that is never closed
 * reaches to the end, so that it is read once.
 */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|\\?$)|\{(\d{1,4})(?:,(\d{0,4}))?\}|./gsu

/**
 * How large a pattern becomes once its counted repeats are written out, as RE2 does it, told by the text alone: what is
 * large takes long to compile, and as much longer to look for. Infinity, where its parentheses do not fit.
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
 * Unicode classes (`\\pL`) of one pattern, which by hand are one or two. Each takes as long to compile as some forty
 * letters.
 */
const MOST_UNICODE_CLASSES = 12
const UNICODE_CLASS_WEIGHT = 40
const UNICODE_CLASS = /\\[pP]/g
const unicodeClassesOf = (pattern: string): number => pattern.match(UNICODE_CLASS)?.length ?? 0

/**
 * How long a pattern takes to compile, told by its text alone, in units of `costOf`. For what patterns may take
 * together.
 */
export const weightOf = (pattern: string): number =>
  Math.max(costOf(pattern), UNICODE_CLASS_WEIGHT * unicodeClassesOf(pattern))

/**
 * An authored pattern, which runs on every turn. Null: it is none of RE2's, whose time is linear in the text, or it is
 * larger than one may be.
 */
export const compilePattern = (pattern: string, flags = 0): RE2JS | null => {
  if (costOf(pattern) > MOST_COST || unicodeClassesOf(pattern) > MOST_UNICODE_CLASSES) return null
  try {
    return RE2JS.compile(pattern, flags)
  } catch {
    return null
  }
}

const LORE_PATTERN = /^\/(.*)\/([gimsuy]*)$/s

/** A key of a lore that is a pattern, as SillyTavern writes it; null for any other key. */
export const lorePattern = (key: string): { readonly pattern: string; readonly flags: string } | null => {
  const [, pattern, flags = ""] = LORE_PATTERN.exec(key) ?? []
  return pattern === undefined ? null : { pattern, flags }
}

interface Keyed {
  readonly keys?: ReadonlyArray<string> | undefined
  readonly secondary_keys?: ReadonlyArray<string> | undefined
}

/** What the patterns of entries cost together. */
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
