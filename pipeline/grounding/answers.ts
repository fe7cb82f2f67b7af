import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { WordForms } from "../retrieval/WordForms.ts"

/** Words that only ask whether something is known. */
const ASKING = new Set(
  (
    "remember recall know tell told say said mention mentioned again weisst noch erinnerst denn nochmal gesagt " +
    "erzahlt recuerdas acuerdas souviens lembras"
  ).split(" ")
)
/** The share of a question's content words that a text has to exceed. */
const HALF = 0.5

/**
 * Returns a function that says whether a text may answer the question, judged by words: it contains more than half of
 * the question's content words. The search score is not used, because the best result is the best even if nothing
 * answers.
 */
export const mayAnswer = (question: string): ((text: string) => boolean) => {
  const asked = new Set(contentOf(terms(question)).filter((word) => !ASKING.has(word)))
  const forms = new WordForms(asked)
  return (text) => asked.size > 0 && forms.in(contentOf(terms(text))).size > asked.size * HALF
}
