import { RE2JS } from "re2js"
import type { LoreEntry } from "../domain/Character.ts"
import { hasWhole } from "../wholeWords.ts"
import { terms } from "./terms.ts"

/** A message in the forms in which keys are looked for. */
export interface Scanned {
  readonly raw: string
  readonly lower: string
  /** Its words, with a space around each. */
  readonly words: string
}

const padded = (text: string): string => ` ${terms(text).join(" ")} `
export const scanned = (raw: string): Scanned => ({ raw, lower: raw.toLowerCase(), words: padded(raw) })

export type Key = (message: Scanned) => boolean

const PATTERN = /^\/(.*)\/([gimsuy]*)$/s
const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }

/** As SillyTavern writes it; null where it is no pattern, or one whose time is not linear in the text. */
const patternOf = (key: string): RE2JS | null => {
  const [, pattern, flags = ""] = PATTERN.exec(key) ?? []
  if (pattern === undefined) return null
  try {
    return RE2JS.compile(pattern, [...flags].reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0))
  } catch {
    return null
  }
}

export const isPattern = (key: string): boolean => patternOf(key) !== null

/** How a key of an entry is looked for: as a pattern, or in whole words unless the entry says otherwise; one without a word in it ("!!!") as it is. */
export const keyOf = (key: string, { case_sensitive, whole_words }: Pick<LoreEntry, "case_sensitive" | "whole_words">): Key => {
  const pattern = patternOf(key)
  if (pattern !== null) return ({ raw }) => pattern.matcher(raw).find()
  const words = padded(key)
  if (!whole_words || words.trim() === "") {
    const lower = key.toLowerCase()
    return case_sensitive ? ({ raw }) => raw.includes(key) : (message) => message.lower.includes(lower)
  }
  return case_sensitive ? ({ raw }) => hasWhole(raw, key) : (message) => message.words.includes(words)
}

/** Whether a message calls an entry up by its keys: by any of them, and by the secondary ones as its logic says. */
export const calls = (message: Scanned, keys: ReadonlyArray<Key>, secondary: ReadonlyArray<Key>, logic: LoreEntry["logic"]): boolean => {
  const has = (key: Key) => key(message)
  if (!keys.some(has)) return false
  if (secondary.length === 0) return true
  switch (logic) {
    case "and_any": return secondary.some(has)
    case "and_all": return secondary.every(has)
    case "not_any": return !secondary.some(has)
    case "not_all": return !secondary.every(has)
  }
}
