import { cutsOf } from "./cuts.ts"

/**
 * Cuts a reply into messenger bubbles. No text is ever dropped: if the text does not fit into `max_bubbles` bubbles of
 * `max_bubble_chars`, there are more bubbles, never less text and never a longer bubble. Lengths are UTF-16 units, as
 * Telegram counts.
 */

export interface BubbleLimits {
  readonly max_bubbles: number
  readonly max_bubble_chars: number
}

const SHORTEST = 8
const MIN_LIMIT = 20

interface Piece {
  readonly text: string
  /** The text between this piece and the one before it. */
  readonly glue: string
}

const partsOf = (bubble: string, limit: number): ReadonlyArray<Piece> => {
  if (bubble.length <= limit) return [{ text: bubble, glue: "\n" }]
  const cuts = cutsOf(bubble, limit)
  const pieces: Array<Piece> = []
  let start = 0
  let glue = "\n"
  while (bubble.length - start > limit) {
    const end = cuts.after(start)
    const text = bubble.slice(start, end).trimEnd()
    pieces.push({ text, glue })
    const next = bubble.length - bubble.slice(end).trimStart().length
    glue = bubble.slice(start + text.length, next)
    start = next
  }
  return [...pieces, { text: bubble.slice(start), glue }]
}

/** How long the piece at `at` would be if joined with the next one. Infinite at the ends. */
const lengthWithNext = (pieces: ReadonlyArray<Piece>, at: number): number => {
  const left = pieces[at]
  const right = pieces[at + 1]
  return left === undefined || right === undefined ? Infinity : left.text.length + right.glue.length + right.text.length
}

const mergeWithNext = (pieces: ReadonlyArray<Piece>, at: number): ReadonlyArray<Piece> => {
  const left = pieces[at]
  const right = pieces[at + 1]
  if (left === undefined || right === undefined) return pieces
  return [
    ...pieces.slice(0, at),
    { text: `${left.text}${right.glue}${right.text}`, glue: left.glue },
    ...pieces.slice(at + 2)
  ]
}

/** The start of the shortest pair of neighbours among `starts`, if the pair fits into one bubble. */
const shortestPair = (pieces: ReadonlyArray<Piece>, starts: Iterable<number>, limit: number): number | null => {
  let best: number | null = null
  let least = limit + 1
  for (const at of starts) {
    const length = lengthWithNext(pieces, at)
    if (length < least) [best, least] = [at, length]
  }
  return best
}

const mergeShort = (pieces: ReadonlyArray<Piece>, limit: number): ReadonlyArray<Piece> => {
  let merged = pieces
  for (let at = 0; at < merged.length;) {
    const pair = (merged[at]?.text.length ?? 0) < SHORTEST ? shortestPair(merged, [at - 1, at], limit) : null
    merged = pair === null ? merged : mergeWithNext(merged, pair)
    at = pair ?? at + 1
  }
  return merged
}

const mergeToFit = (pieces: ReadonlyArray<Piece>, most: number, limit: number): ReadonlyArray<Piece> => {
  let merged = pieces
  while (merged.length > most) {
    const pair = shortestPair(merged, merged.keys(), limit)
    if (pair === null) break
    merged = mergeWithNext(merged, pair)
  }
  return merged
}

export const splitBubbles = (proposed: ReadonlyArray<string>, limits: BubbleLimits): ReadonlyArray<string> => {
  const limit = Math.max(MIN_LIMIT, limits.max_bubble_chars)
  const trimmed = proposed.map((bubble) => bubble.trim()).filter((bubble) => bubble !== "")
  const pieces = trimmed.flatMap((bubble) => partsOf(bubble, limit))
  return mergeToFit(mergeShort(pieces, limit), Math.max(1, limits.max_bubbles), limit).map((piece) => piece.text)
}
