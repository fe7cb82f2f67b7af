import { CHUNK_CHARS, EVIDENCE_MAX_CHARS } from "../evidence/Evidence.ts"
import { chunk } from "../evidence/chunk.ts"
import { instructs } from "../relational/instructs.ts"
import { type Change, PATHS_FOR, type Purpose, valueFor } from "./Change.ts"
import type { Reading } from "./SourceReader.ts"

const MOST = 20
const LONGEST_CLAIM = 500
const LONGEST_VALUE = 2_000
const SHORTEST_QUOTE = 8
const LONGEST_QUOTE = 1_000
const MOST_KEYS = 20
const LONGEST_KEY = 100

/** A finding that its source bears out. */
export interface Upheld {
  readonly claim: string
  readonly confidence: number
  readonly quote: string
  /** The part of the source that the quote stands in. */
  readonly passage: string
  readonly change: Change | null
}

/** Where a quote stands in a text, letter by letter but for line breaks and runs of spaces. */
const placeOf = (text: string, quote: string): { readonly start: number; readonly end: number } | null => {
  const words = quote.normalize("NFC").trim().split(/\s+/)
  const pattern = new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+"), "u")
  const found = quote.trim().length < SHORTEST_QUOTE || quote.length > LONGEST_QUOTE ? null : pattern.exec(text)
  return found === null ? null : { start: found.index, end: found.index + found[0].length }
}

const passageAt = (text: string, { start, end }: { readonly start: number; readonly end: number }): string =>
  chunk(text, CHUNK_CHARS).filter((piece) => piece.start < end && piece.start + piece.text.length > start).map((piece) => piece.text).join("").trim().slice(0, EVIDENCE_MAX_CHARS)

const toChange = ({ change }: Reading, purpose: Purpose): Change | null => {
  if (change === null || !PATHS_FOR[purpose].includes(change.path) || change.value.trim() === "" || change.value.length > LONGEST_VALUE || instructs(change.value)) return null
  const keys = change.keys.map((key) => key.trim()).filter((key) => key !== "" && key.length <= LONGEST_KEY).slice(0, MOST_KEYS)
  return { path: change.path, op: change.op, value: valueFor(change.path, change.value.trim(), keys) }
}

/**
 * What of the readings the text bears out: a finding whose quote does not literally stand in it is dropped, and so is one that is meant for a model.
 * Whoever reads the text may be mistaken, or misled by what stands in it.
 */
export const uphold = (source: string, purpose: Purpose, readings: ReadonlyArray<Reading>): ReadonlyArray<Upheld> => {
  const text = source.normalize("NFC")
  return readings.flatMap((reading): ReadonlyArray<Upheld> => {
    const claim = reading.claim.trim()
    const place = claim === "" || claim.length > LONGEST_CLAIM || instructs(claim) ? null : placeOf(text, reading.quote)
    return place === null ? [] : [{
      claim, confidence: Math.min(1, Math.max(0, reading.confidence)), quote: text.slice(place.start, place.end), passage: passageAt(text, place), change: toChange(reading, purpose)
    }]
  }).slice(0, MOST)
}
