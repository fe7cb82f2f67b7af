import { RE2JS } from "re2js"
import type { LoreEntry } from "../domain/Character.ts"
import { compatible } from "../compatible.ts"
import { compilePattern, lorePattern } from "../patterns.ts"
import { Phrases } from "./Phrases.ts"
import { spaced, spacedPhrase } from "./terms.ts"

/**
 * The remaining pattern search budget of one turn, in instructions times characters. At worst, about ten thousand take
 * a millisecond.
 */
export interface Effort {
  left: number
}
const MAX_EFFORT = 10_000_000
const newEffort = (): Effort => ({ left: MAX_EFFORT })

/** Searches for a pattern while the turn's budget lasts. After that nothing matches. Deterministic on every machine. */
const finds = (pattern: RE2JS, { raw, effort }: Scanned): boolean => {
  effort.left -= pattern.programSize() * raw.length
  return effort.left >= 0 && pattern.matcher(raw).find()
}

/** A message in the forms that keys are matched against. Most keys need only one of them. */
export interface Scanned {
  readonly raw: string
  readonly effort: Effort
  readonly written: () => Phrases
  readonly lower: () => Phrases
  readonly words: () => Phrases
}

/** The same letters in the same form, such as those of half and full width. */
const composed = (text: string): string => compatible(text, "NFKC")
const once = (textOf: () => string): (() => Phrases) => {
  let phrases: Phrases | null = null
  return () => (phrases ??= new Phrases(textOf()))
}
export const scanned = (raw: string, effort: Effort = newEffort()): Scanned => ({
  raw,
  effort,
  written: once(() => composed(raw)),
  lower: once(() => composed(raw).toLowerCase()),
  words: once(() => spaced(raw))
})

export type Key = (message: Scanned) => boolean

const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }

/** Null if it is not a pattern, or one that is not accepted. */
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
 * How a key of an entry is matched: as a pattern, or as whole words unless the entry says otherwise. Scripts without
 * spaces have no whole words. A key without a word in it ("!!!") is matched literally.
 */
export const keyOf = (
  key: string,
  { case_sensitive, whole_words }: Pick<LoreEntry, "case_sensitive" | "whole_words">
): Key => {
  const pattern = patternOf(key)
  if (pattern !== null) return (message) => finds(pattern, message)
  const words = spacedPhrase(key)
  const written = composed(key)
  if (!whole_words || words === "") {
    const lower = written.toLowerCase()
    return case_sensitive ? (message) => message.written().has(written) : (message) => message.lower().has(lower)
  }
  return case_sensitive ? (message) => message.written().hasWholeWord(written) : (message) => message.words().has(words)
}

/** Whether a message triggers an entry: by any of its keys, and by the secondary ones according to its logic. */
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
