/** A piece of a text, with its start position in the text. */
export interface Chunk {
  readonly text: string
  readonly start: number
}

/** Where to cut a text, best first: after a paragraph, a sentence, a word. */
const CUTS: ReadonlyArray<RegExp> = [/\n\s*\n/g, /[.!?…。！？]["'”’)]*\s+|\n/g, /\s+/g]

/** The last cut before the end of a window that leaves at least half of the window. */
const cutIn = (window: string): number => {
  for (const pattern of CUTS) {
    let last = 0
    for (const {
      index,
      0: { length }
    } of window.matchAll(pattern))
      last = index + length
    if (last >= window.length / 2) return last
  }
  return window.length
}

/**
 * Cuts a text into pieces of at most `most` UTF-16 units, between paragraphs or sentences if possible. Joined together,
 * the pieces are the text.
 */
export const chunk = (text: string, most: number): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  for (let start = 0; start < text.length;) {
    const window = text.slice(start, start + most)
    let length = window.length < most ? window.length : cutIn(window)
    // Do not split a surrogate pair.
    if (start + length < text.length && /[\uD800-\uDBFF]$/.test(text.slice(start, start + length))) length--
    chunks.push({ text: text.slice(start, start + length), start })
    start += length
  }
  return chunks
}
