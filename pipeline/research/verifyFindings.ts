import { CHUNK_CHARS, EVIDENCE_MAX_CHARS } from "../evidence/Evidence.ts"
import { chunk } from "../evidence/chunk.ts"
import { bounded } from "../relational/bounded.ts"
import { isInstruction } from "../relational/isInstruction.ts"
import { type Change, PATHS_FOR, type Purpose, valueFor } from "./Change.ts"
import type { Reading } from "./SourceReader.ts"

const MOST = 20
const LONGEST_CLAIM = 500
const LONGEST_VALUE = 2_000
const SHORTEST_QUOTE = 8
const LONGEST_QUOTE = 1_000
const MAX_KEYS = 20
const LONGEST_KEY = 100

/** A finding that its source supports. */
export interface VerifiedFinding {
  readonly claim: string
  readonly confidence: number
  readonly quote: string
  /** The part of the source that contains the quote. */
  readonly passage: string
  readonly change: Change | null
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** A text with whitespace runs collapsed to one space, and the original position of each remaining character. */
const collapseSpaces = (text: string): { readonly text: string; readonly offsets: ReadonlyArray<number> } => {
  const offsets: Array<number> = []
  const words = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    if (offsets.length > 0) offsets.push(index - 1)
    for (let at = 0; at < word.length; at++) offsets.push(index + at)
    return word
  })
  return { text: words.join(" "), offsets }
}

/** Where a text contains a quote. The match is exact, except for whitespace and Unicode normalization. */
const spanOf = ({ text, offsets }: ReturnType<typeof collapseSpaces>, quote: string): TextSpan | null => {
  if (quote.trim().length < SHORTEST_QUOTE || quote.length > LONGEST_QUOTE) return null
  for (const form of new Set([quote, quote.normalize("NFC"), quote.normalize("NFD")])) {
    const sought = collapseSpaces(form).text
    const at = text.indexOf(sought)
    if (at !== -1) return { start: offsets[at] ?? 0, end: (offsets[at + sought.length - 1] ?? 0) + 1 }
  }
  return null
}

const passageAt = (text: string, { start, end }: TextSpan): string =>
  chunk(text, CHUNK_CHARS)
    .filter((piece) => piece.start < end && piece.start + piece.text.length > start)
    .map((piece) => piece.text)
    .join("")
    .trim()
    .slice(0, EVIDENCE_MAX_CHARS)

/** A model may write characters that the database cannot store. */
const storable = (text: string): string => bounded(text, Number.MAX_SAFE_INTEGER)

const toChange = ({ change }: Reading, purpose: Purpose): Change | null => {
  const value = change === null ? "" : storable(change.value)
  if (
    change === null ||
    !PATHS_FOR[purpose].includes(change.path) ||
    value === "" ||
    value.length > LONGEST_VALUE ||
    isInstruction(value)
  )
    return null
  const keys = change.keys
    .map(storable)
    .filter((key) => key !== "" && key.length <= LONGEST_KEY)
    .slice(0, MAX_KEYS)
  return { path: change.path, op: change.op, value: valueFor(change.path, value, keys) }
}

/**
 * The readings that the text supports. A finding is dropped if the text does not contain its quote literally, or if it
 * instructs a model. The reader may be mistaken, or misled by the text.
 */
export const verifyFindings = (
  text: string,
  purpose: Purpose,
  readings: ReadonlyArray<Reading>
): ReadonlyArray<VerifiedFinding> => {
  const seen = collapseSpaces(text)
  return readings
    .flatMap((reading): ReadonlyArray<VerifiedFinding> => {
      const claim = storable(reading.claim)
      const span =
        claim === "" || claim.length > LONGEST_CLAIM || isInstruction(claim) ? null : spanOf(seen, reading.quote)
      return span === null
        ? []
        : [
            {
              claim,
              confidence: Math.min(1, Math.max(0, reading.confidence)),
              quote: text.slice(span.start, span.end),
              passage: passageAt(text, span),
              change: toChange(reading, purpose)
            }
          ]
    })
    .slice(0, MOST)
}
