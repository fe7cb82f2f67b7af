import { RE2JS } from "re2js"
import type { ForbiddenStyle } from "../domain/Character.ts"
import { compilePattern } from "../patterns.ts"
import { plain } from "../plain.ts"
import { memoize } from "../memoize.ts"
import { spaced, spacedPhrase } from "../retrieval/terms.ts"

const MAX_PATTERNS = 2000
/** A pattern that does not compile was stored before patterns were checked. It forbids nothing. */
const patternOf = memoize(MAX_PATTERNS, (value): RE2JS | null => compilePattern(value, RE2JS.CASE_INSENSITIVE))

const phraseOf = memoize(MAX_PATTERNS, spacedPhrase)

/**
 * The first style rule that a reply breaks. Phrases and topic words match as whole words, regardless of case and
 * punctuation. Behaviour cannot be detected by words, so it only appears in the prompt.
 */
export const forbiddenIn = (reply: string, rules: ReadonlyArray<ForbiddenStyle>): ForbiddenStyle | null => {
  if (rules.length === 0) return null
  const read = plain(reply)
  const words = spaced(read)
  return (
    rules.find(({ kind, value }) => {
      switch (kind) {
        case "regex":
          return (reply === read ? [reply] : [reply, read]).some(
            (text) => patternOf(value)?.matcher(text).find() ?? false
          )
        case "behavior":
          return false
        // A phrase without letters, such as "!!!" or "🙂", is matched literally.
        default:
          return phraseOf(value) === "" ? reply.includes(value) : words.includes(phraseOf(value))
      }
    }) ?? null
  )
}
