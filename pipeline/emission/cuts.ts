/**
 * A position where a text may be cut. Only whitespace lies between `end` of the part before and `next`, the start of
 * the part after.
 */
interface Cut {
  readonly end: number
  readonly next: number
  /** 0 blank line, 1 line break, 2 sentence, 3 clause, 4 word. Lower is better. */
  readonly level: number
}

interface Unit {
  readonly start: number
  readonly end: number
}

// The order matters: text that one pattern matches is hidden from later patterns, so units nest but never overlap.
const UNITS: ReadonlyArray<RegExp> = [
  /```[\s\S]*?(?:```|$)/g,
  /`[^`\n]+`/g,
  /\b(?:https?:\/\/|www\.)[^\s"“”«»„「」`]+/gi
]
// A quotation ends before the next one of its kind begins. This keeps text after an unclosed mark from being rescanned.
const QUOTE = /"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|「[^「」\n]*」/g
const LIST_ITEM = /^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+\S.*$/gm
const LIST_MARKER = /(?:^|\n)[ \t]*(?:[-*•–]|\d{1,3}[.)])$/

const find = (text: string, pattern: RegExp): ReadonlyArray<Unit> =>
  Array.from(text.matchAll(pattern), (match) => ({ start: match.index, end: match.index + match[0].length }))

/** What is kept whole: code, addresses, quotations and list items. */
const unitsOf = (text: string): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  let rest = text
  for (const pattern of UNITS) {
    units.push(...find(rest, pattern))
    rest = rest.replace(pattern, (unit) => "x".repeat(unit.length))
  }
  return [...units, ...find(rest, QUOTE), ...find(rest, LIST_ITEM)]
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]*_]*$/
const ABBREVIATION = /(?:^|[\s(])(?:mr|mrs|ms|dr|st|prof|vs|etc|e\.g|i\.e|no)\.$/i
const CLAUSE_END = /[,;:–—、，；：]["'”’»)\]*_]*$/
const WIDE_END = /[。！？]+[」』”’）]*|[、，；：]+/g

const levelOf = (text: string, end: number, space: string): number => {
  if (/\n\s*\n/.test(space)) return 0
  if (space.includes("\n")) return 1
  const before = text.slice(Math.max(0, end - 12), end)
  if (SENTENCE_END.test(before) && !ABBREVIATION.test(before)) return 2
  return CLAUSE_END.test(before) ? 3 : 4
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

export interface Cuts {
  /**
   * The best end of a part that begins at `start` and holds at most `limit` UTF-16 units. More text than that must
   * remain.
   */
  readonly after: (start: number) => number
}

/**
 * The positions where a text may be cut into pieces of at most `limit`. A unit longer than the limit is cut as well.
 */
export const cutsOf = (text: string, limit: number): Cuts => {
  const units = unitsOf(text)
    .filter((unit) => unit.end - unit.start <= limit)
    .sort((a, b) => a.start - b.start)
  // The outermost unit around each position. It is looked up at every space, and a text may have thousands of spaces
  // and units.
  const cover = new Int32Array(text.length + 1).fill(-1)
  for (let index = units.length - 1; index >= 0; index--)
    cover.fill(index, (units[index]?.start ?? 0) + 1, units[index]?.end ?? 0)
  const around = (at: number): Unit | undefined => units[cover[at] ?? -1]
  const segments = graphemes.segment(text)
  const isBoundary = (at: number): boolean => at >= text.length || segments.containing(at)?.index === at

  const spaces = Array.from(text.matchAll(/\s+/g), (match): Cut => {
    const end = match.index
    return { end, next: end + match[0].length, level: levelOf(text, end, match[0]) }
  }).filter(({ end }) => !LIST_MARKER.test(text.slice(Math.max(0, end - 12), end)))
  const wide = Array.from(text.matchAll(WIDE_END), (match): Cut => {
    const end = match.index + match[0].length
    return { end, next: end, level: /[。！？]/.test(match[0]) ? 2 : 3 }
  })
  const candidates = [...spaces, ...wide]
    .filter((cut) => around(cut.end) === undefined && around(cut.next) === undefined)
    .sort((a, b) => a.level - b.level || b.end - a.end)

  /**
   * Cuts before the last whole grapheme that fits. Cuts inside a grapheme only if it alone is too long, and never
   * inside a surrogate pair.
   */
  const hard = (start: number): number => {
    const most = start + limit
    let at = segments.containing(most)?.index ?? text.length
    const unit = around(at)
    if (unit !== undefined && unit.start > start && isBoundary(unit.start)) at = unit.start
    return at > start ? at : /[\udc00-\udfff]/.test(text.charAt(most)) ? most - 1 : most
  }

  const after = (start: number): number =>
    candidates.find((cut) => cut.end > start && cut.end <= start + limit && isBoundary(cut.end) && isBoundary(cut.next))
      ?.end ?? hard(start)
  return { after }
}
