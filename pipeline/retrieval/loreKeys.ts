import { RE2JS } from "re2js"
import type { LoreEntry } from "../domain/Character.ts"
import { compilePattern, lorePattern } from "../patterns.ts"
import { hasWhole } from "../wholeWords.ts"
import { terms } from "./terms.ts"

/**
 * What looking for patterns may still take in one turn, in instructions times characters: some ten thousand to a
 * millisecond at worst.
 */
export interface Effort {
  left: number
}
const MOST_EFFORT = 10_000_000
const newEffort = (): Effort => ({ left: MOST_EFFORT })

/**
 * Looks for a pattern as long as the turn's effort lasts; from then on it is nowhere. The same of the same, whatever
 * the machine.
 */
const finds = (pattern: RE2JS, { raw, effort }: Scanned): boolean => {
  effort.left -= pattern.programSize() * raw.length
  return effort.left >= 0 && pattern.matcher(raw).find()
}

/** A message in the forms in which keys are looked for. */
export interface Scanned {
  readonly raw: string
  readonly effort: Effort
  readonly lower: string
  /** Its words, with a space around each. */
  readonly words: string
}

const padded = (text: string): string => ` ${terms(text).join(" ")} `
export const scanned = (raw: string, effort: Effort = newEffort()): Scanned => ({
  raw,
  effort,
  lower: raw.toLowerCase(),
  words: padded(raw)
})

export type Key = (message: Scanned) => boolean

const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }

/** Null where it is no pattern, or one that is not taken. */
const patternOf = (key: string): RE2JS | null => {
  const found = lorePattern(key)
  return found === null
    ? null
    : compilePattern(
        found.pattern,
        [...found.flags].reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0)
      )
}

export const isPattern = (key: string): boolean => patternOf(key) !== null

/**
 * How a key of an entry is looked for: as a pattern, or in whole words unless the entry says otherwise; one without a
 * word in it ("!!!") as it is.
 */
export const keyOf = (
  key: string,
  { case_sensitive, whole_words }: Pick<LoreEntry, "case_sensitive" | "whole_words">
): Key => {
  const pattern = patternOf(key)
  if (pattern !== null) return (message) => finds(pattern, message)
  const words = padded(key)
  if (!whole_words || words.trim() === "") {
    const lower = key.toLowerCase()
    return case_sensitive ? ({ raw }) => raw.includes(key) : (message) => message.lower.includes(lower)
  }
  return case_sensitive ? ({ raw }) => hasWhole(raw, key) : (message) => message.words.includes(words)
}

/** Whether a message calls an entry up by its keys: by any of them, and by the secondary ones as its logic says. */
export const calls = (
  message: Scanned,
  keys: ReadonlyArray<Key>,
  secondary: ReadonlyArray<Key>,
  logic: LoreEntry["logic"]
): boolean => {
  const has = (key: Key) => key(message)
  if (!keys.some(has)) return false
  if (secondary.length === 0) return true
  switch (logic) {
    case "and_any":
      return secondary.some(has)
    case "and_all":
      return secondary.every(has)
    case "not_any":
      return !secondary.some(has)
    case "not_all":
      return !secondary.every(has)
  }
}
