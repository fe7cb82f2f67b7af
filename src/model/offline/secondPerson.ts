import { languageAmong } from "#pipeline/languages.ts"

const TURNED: Readonly<Record<string, string>> = {
  i: "you",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
  we: "you",
  us: "you",
  our: "your",
  ours: "yours",
  "i'm": "you're",
  im: "you're",
  "i've": "you've",
  ive: "you've",
  "i'd": "you'd",
  "i'll": "you'll",
  "we're": "you're",
  "we've": "you've",
  "we'll": "you'll"
}
const WORD = /[\p{L}]+(?:['’][\p{L}]+)?/gu
const LEADING = /^(?:(?:well|so|ok|oh|yes|yeah|no|and|but|actually|because|also|hi|hello|hey|haha|lol)[,:\s]+)+/i

const LANGUAGES = ["en", "de", "pt", "es"]

const turned = (sentence: string): string =>
  sentence
    .replace(LEADING, "")
    .replace(/\b(i|we) (am|was)\b/gi, (_, __, verb: string) => (verb.toLowerCase() === "am" ? "you are" : "you were"))
    .replace(WORD, (word) => TURNED[word.toLowerCase().replace("’", "'")] ?? word)
    .replace(/(?<![.!…\s])[.!…\s]+$/, "")

/** Turns "I miss my dog." into "you miss your dog". Sentences in other languages stay as they are. */
export const secondPerson = (sentence: string): string =>
  (languageAmong(sentence, LANGUAGES) ?? "en") === "en"
    ? turned(sentence)
    : sentence.replace(/(?<![.!…\s])[.!…\s]+$/, "")
