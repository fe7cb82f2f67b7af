import { CHUNK_CHARS, EVIDENCE_MAX_CHARS } from "../evidence/Evidence.ts"
import { chunk } from "../evidence/chunk.ts"
import { bounded } from "../relational/bounded.ts"
import { instructs } from "../relational/isInstruction.ts"
import { type Change, PATHS_FOR, type Purpose, valueFor } from "./Change.ts"
import type { Reading } from "./SourceReader.ts"

const MOST = 20
const LONGEST_CLAIM = 500
const LONGEST_VALUE = 2_000
const SHORTEST_QUOTE = 8
const LONGEST_QUOTE = 1_000
const MOST_KEYS = 20
const LONGEST_KEY = 100

/** A finding that its source supports. */
export interface Upheld {
  readonly claim: string
  readonly confidence: number
  readonly quote: string
  /** The part of the source that contains the quote. */
  readonly passage: string
  readonly change: Change | null
}

interface Place {
  readonly start: number
  readonly end: number
}

/** A text with whitespace runs collapsed to one space, and the original position of each remaining character. */
const squeezed = (text: string): { readonly text: string; readonly places: ReadonlyArray<number> } => {
  const places: Array<number> = []
  const words = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    if (places.length > 0) places.push(index - 1)
    for (let at = 0; at < word.length; at++) places.push(index + at)
    return word
  })
  return { text: words.join(" "), places }
}

/** Where a text contains a quote. The match is exact, except for whitespace and Unicode normalization. */
const placeOf = ({ text, places }: ReturnType<typeof squeezed>, quote: string): Place | null => {
  if (quote.trim().length < SHORTEST_QUOTE || quote.length > LONGEST_QUOTE) return null
  for (const form of new Set([quote, quote.normalize("NFC"), quote.normalize("NFD")])) {
    const sought = squeezed(form).text
    const at = text.indexOf(sought)
    if (at !== -1) return { start: places[at] ?? 0, end: (places[at + sought.length - 1] ?? 0) + 1 }
  }
  return null
}

const passageAt = (text: string, { start, end }: Place): string =>
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
    instructs(value)
  )
    return null
  const keys = change.keys
    .map(storable)
    .filter((key) => key !== "" && key.length <= LONGEST_KEY)
    .slice(0, MOST_KEYS)
  return { path: change.path, op: change.op, value: valueFor(change.path, value, keys) }
}

/**
 * The readings that the text supports. A finding is dropped if the text does not contain its quote literally, or if it
 * instructs a model. The reader may be mistaken, or misled by the text.
 */
export const uphold = (text: string, purpose: Purpose, readings: ReadonlyArray<Reading>): ReadonlyArray<Upheld> => {
  const seen = squeezed(text)
  return readings
    .flatMap((reading): ReadonlyArray<Upheld> => {
      const claim = storable(reading.claim)
      const place =
        claim === "" || claim.length > LONGEST_CLAIM || instructs(claim) ? null : placeOf(seen, reading.quote)
      return place === null
        ? []
        : [
            {
              claim,
              confidence: Math.min(1, Math.max(0, reading.confidence)),
              quote: text.slice(place.start, place.end),
              passage: passageAt(text, place),
              change: toChange(reading, purpose)
            }
          ]
    })
    .slice(0, MOST)
}
