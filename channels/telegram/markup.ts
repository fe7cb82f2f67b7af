import { cutsOf } from "#pipeline/emission/cuts.ts"

/** A formatted range of a text, in UTF-16 units, as Telegram counts. */
export interface Entity {
  readonly type: "bold" | "italic"
  readonly offset: number
  readonly length: number
}

export interface Marked {
  readonly text: string
  readonly entities: ReadonlyArray<Entity>
}

/** Telegram's limit for one message, after removing markup. */
export const MAX_UNITS = 4096

/**
 * `*narration*` and `**stress**` on one line, without blanks inside the marks. Any other asterisk stays an asterisk.
 */
const MARKS = /(\*\*|\*)(?=[^\s*])([^*\n]*[^\s*])\1(?!\*)/g

/**
 * Converts the asterisks of a bubble to entities. No text is parsed as markup by Telegram, so none can be malformed.
 */
export const readMarks = (source: string): Marked => {
  const entities: Array<Entity> = []
  let text = ""
  let from = 0
  for (const match of source.matchAll(MARKS)) {
    const [whole, mark = "", inner = ""] = match
    text += source.slice(from, match.index)
    entities.push({ type: mark === "**" ? "bold" : "italic", offset: text.length, length: inner.length })
    text += inner
    from = match.index + whole.length
  }
  return { text: text + source.slice(from), entities }
}

const sliceOf = ({ text, entities }: Marked, start: number, end: number): Marked => ({
  text: text.slice(start, end),
  entities: entities.flatMap(({ type, offset, length }) => {
    const from = Math.max(offset, start)
    const to = Math.min(offset + length, end)
    return from < to ? [{ type, offset: from - start, length: to - from }] : []
  })
})

/**
 * Splits a text into messages that Telegram accepts, at natural positions and never inside a character. Blank messages
 * are dropped.
 */
export const splitMarked = (marked: Marked, limit: number = MAX_UNITS): ReadonlyArray<Marked> => {
  const { text } = marked
  const cuts = text.length > limit ? cutsOf(text, limit) : null
  const pieces: Array<Marked> = []
  for (let start = text.length - text.trimStart().length; start < text.length;) {
    const end = cuts === null || text.length - start <= limit ? text.length : cuts.after(start)
    const kept = start + text.slice(start, end).trimEnd().length
    if (kept > start) pieces.push(sliceOf(marked, start, kept))
    start = text.length - text.slice(end).trimStart().length
  }
  return pieces
}
