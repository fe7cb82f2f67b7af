import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { hasWholeWord } from "../wholeWords.ts"

const CAPITALISED = /\p{Lu}/u

/**
 * The ways a text may write a name: capitalized, with the possessive s of German and English, and in lower case if the
 * text has no capitals, unless the name is then a common word ("will").
 */
const formsOf = (name: string, hasCapitals: boolean): ReadonlyArray<string> => {
  const small = name.toLowerCase()
  const forms = [name, name.toUpperCase(), ...(!hasCapitals && contentOf(terms(small)).length > 0 ? [small] : [])]
  return [
    ...forms,
    ...forms
      .filter((form) => /\p{L}$/u.test(form) && !/s$/iu.test(form))
      .map((form) => `${form}${form === form.toUpperCase() ? "S" : "s"}`)
  ]
}

/** Whether one of the forms of a text contains one of these names. */
export const mentions = (texts: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean =>
  texts.some((text) => {
    const hasCapitals = CAPITALISED.test(text)
    return names.some((name) => formsOf(name, hasCapitals).some((form) => hasWholeWord(text, form)))
  })
