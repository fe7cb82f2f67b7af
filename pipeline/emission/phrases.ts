import { remembered } from "../remembered.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

/** The runs of `size` neighbouring terms; the whole of a shorter text. */
export const grams = (words: ReadonlyArray<string>, size: number): ReadonlyArray<string> => {
  if (words.length === 0) return []
  if (words.length <= size) return [words.join(" ")]
  return words.slice(size - 1).map((_, i) => words.slice(i, i + size).join(" "))
}

// The texts watched for are the service rules and the authored secrets.
const MEMORY = 2000

const LEAK_WORDS = 8
const longRuns = remembered(MEMORY, (text: string): ReadonlySet<string> => {
  const words = terms(text)
  return new Set(words.length < LEAK_WORDS ? [] : grams(words, LEAK_WORDS))
})

/** Whether a reply repeats eight words in a row of a text that is not for the user. */
export const quotes = (replyWords: ReadonlyArray<string>, text: string): boolean => {
  if (replyWords.length < LEAK_WORDS) return false
  const watched = longRuns(text)
  return watched.size > 0 && grams(replyWords, LEAK_WORDS).some((gram) => watched.has(gram))
}

const SECRET_WORDS = 3
interface Secret {
  /** Whether function words are left out, so that "she sold the boat" also catches "I sold that boat". */
  readonly content: boolean
  readonly size: number
  readonly runs: ReadonlySet<string>
}
const secretRuns = remembered(MEMORY, (text: string): Secret => {
  const all = terms(text)
  const words = contentOf(all)
  // One telling word alone would forbid the word itself, so such a secret is watched for as it was written.
  const content = words.length > 1
  const watched = content ? words : all
  const size = content ? Math.min(SECRET_WORDS, watched.length) : watched.length
  return { content, size, runs: new Set(grams(watched, size)) }
})

/** Whether a reply gives away a secret: three of its telling words in a row, or all of a shorter one. */
export const tells = (replyWords: ReadonlyArray<string>, secrets: ReadonlyArray<string>): boolean => {
  if (secrets.length === 0) return false
  const content = contentOf(replyWords)
  return secrets.some((text) => {
    const secret = secretRuns(text)
    const words = secret.content ? content : replyWords
    return secret.size > 0 && words.length >= secret.size && grams(words, secret.size).some((gram) => secret.runs.has(gram))
  })
}
