import type { Act } from "./acts.ts"
import { isQuestion } from "./questions.ts"

export interface Rule {
  readonly act: Act
  readonly fits: (text: string) => boolean
  /** A longer message says something else as well, which matters more. */
  readonly mostWords?: number
}

export const by = (pattern: RegExp) => (text: string) => pattern.test(text)
const NEGATED = /\b(?:not|never|no longer|don'?t|didn'?t|isn'?t|wasn'?t|haven'?t|hasn'?t|won'?t)\b/i
export const plainly = (pattern: RegExp) => (text: string) => pattern.test(text) && !NEGATED.test(text)
export const told = (pattern: RegExp) => (text: string) =>
  pattern.test(text) && !NEGATED.test(text) && !isQuestion(text)
const OF_YOU = /^\W*(?:(?:so|but|and|well|ok|then|now)[\s,]{1,4}){0,3}(?:you|u|ur|your)\b/i
const OF_THEMSELVES = /\b(?:i|i'?m|my|me|we|our|us)\b/i
/** News of the person, and not of the character. */
export const news = (pattern: RegExp) => (text: string) =>
  told(pattern)(text) && !(OF_YOU.test(text) && !OF_THEMSELVES.test(text))
