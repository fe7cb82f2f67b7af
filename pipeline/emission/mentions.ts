import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { hasWhole } from "../wholeWords.ts"

const CAPITALISED = /\p{Lu}/u

/**
 * A name as a text may write it: in capitals, with the s of German and English, and in small letters where the text has
 * no others, unless it is a common word then ("will").
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

/** Whether one of the forms of a text has one of these names in it. */
export const mentions = (texts: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean =>
  texts.some((text) => {
    const hasCapitals = CAPITALISED.test(text)
    return names.some((name) => formsOf(name, hasCapitals).some((form) => hasWhole(text, form)))
  })
