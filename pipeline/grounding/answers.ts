import { alike } from "../retrieval/alike.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

/** Words that only ask whether something is known. */
const ASKING = new Set(
  "remember recall know tell told say said mention mentioned again weisst noch erinnerst denn nochmal gesagt erzahlt recuerdas acuerdas souviens lembras".split(
    " "
  )
)
/** The share of a question's telling words that has to be passed. */
const HALF = 0.5

/**
 * Whether a text may be taken for what answers a question, as far as words can tell: it says more than half of what the
 * question says. How well it was found does not count, for the best of what was found is the best even where nothing
 * answers.
 */
export const mayAnswer = (question: string, text: string): boolean => {
  const asked = [...new Set(contentOf(terms(question)))].filter((word) => !ASKING.has(word))
  const said = contentOf(terms(text))
  return (
    asked.length > 0 && asked.filter((word) => said.some((other) => alike(word, other))).length > asked.length * HALF
  )
}
