import { contentOf } from "../retrieval/contentWords.ts"
import { Phrases } from "../retrieval/Phrases.ts"
import { terms } from "../retrieval/terms.ts"

const CAPITALISED = /\p{Lu}/u
const LETTER = /\p{L}/u

/** A form of a name, and with the possessive s of German and English. */
const withPossessive = (form: string): ReadonlyArray<string> => {
  const last = form.charAt(form.length - 1)
  if (!LETTER.test(last) || last === "s" || last === "S") return [form]
  return [form, `${form}${form === form.toUpperCase() ? "S" : "s"}`]
}

/** Whether a name is a common word in lower case, such as "will". */
const isCommonWord = (small: string): boolean => contentOf(terms(small)).length === 0

/**
 * Whether a text contains a name: as it is, in capitals, and in lower case if the text has no capitals, unless the name
 * is then a common word. A text that cannot be searched completely counts as one that contains a name.
 */
const mentionsIn = (text: string): ((name: string) => boolean) => {
  const phrases = new Phrases(text)
  const hasCapitals = CAPITALISED.test(text)
  const has = (form: string) => form !== "" && withPossessive(form).some((word) => phrases.hasWholeWord(word))
  return (name) => {
    const small = name.toLowerCase()
    return (
      has(name) || has(name.toUpperCase()) || (!hasCapitals && has(small) && !isCommonWord(small)) || phrases.isUsedUp
    )
  }
}

/** Whether one of the texts contains one of these names. */
export const mentions = (texts: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean =>
  names.length > 0 && texts.some((text) => names.some(mentionsIn(text)))
