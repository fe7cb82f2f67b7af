import { sentencesAbout } from "../evidence/sentences.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { PATHS_FOR } from "./Change.ts"
import type { Readings, ReadRequest } from "./SourceReader.ts"

const MOST = 10
const MAX_KEYS = 5
/** Rules match words, not meaning. */
const MAX_CONFIDENT = 0.5

const keysOf = (sentence: string): ReadonlyArray<string> =>
  [...new Set(contentOf(terms(sentence)).filter((word) => word.length > 3))]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_KEYS)

/** What can be found without a model: the sentences that share words with the question, verbatim. */
export const readByRules = ({ question, purpose, text }: ReadRequest): Readings => ({
  findings: sentencesAbout(text, question)
    .slice(0, MOST)
    .map(({ sentence, share }) => ({
      claim: sentence,
      quote: sentence,
      confidence: Math.round(share * MAX_CONFIDENT * 100) / 100,
      change:
        purpose === "canon" || purpose === "world"
          ? { path: PATHS_FOR[purpose][0], op: "add" as const, value: sentence, keys: keysOf(sentence) }
          : null
    }))
})
