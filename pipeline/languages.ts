import { terms } from "./retrieval/terms.ts"

/**
 * Which language a text is in, if that is certain: by its script, and for languages in Latin script by words that only
 * one of them uses. Null in doubt, as for most short texts.
 */

const SCRIPTS: ReadonlyArray<readonly [string, RegExp]> = [
  ["ja", /[\p{sc=Hiragana}\p{sc=Katakana}]/gu],
  ["ko", /\p{sc=Hangul}/gu],
  ["zh", /\p{sc=Han}/gu],
  ["ru", /\p{sc=Cyrillic}/gu],
  ["ar", /\p{sc=Arabic}/gu],
  ["el", /\p{sc=Greek}/gu],
  ["he", /\p{sc=Hebrew}/gu],
  ["hi", /\p{sc=Devanagari}/gu],
  ["th", /\p{sc=Thai}/gu]
]
/** Languages whose script is detected as another language: text detected as `ru` also matches the tag `uk`. */
const SAME_SCRIPT: Readonly<Record<string, string>> = {
  uk: "ru",
  be: "ru",
  bg: "ru",
  sr: "ru",
  mk: "ru",
  kk: "ru",
  yue: "zh",
  fa: "ar",
  ur: "ar",
  yi: "he",
  mr: "hi",
  ne: "hi"
}

const set = (words: string) => new Set(words.split(" "))
const TELLING: Readonly<Record<string, ReadonlySet<string>>> = {
  en: set(
    "the and you is it that was for are with his they this have from what your when there she which their would " +
      "about them these like into could people its than been now my made did i im dont youre we he of to in do here be"
  ),
  de: set(
    "der die das und ist nicht ich du wir ihr sie ein eine einen dem den mit auf fur von zu auch noch nur wie " +
      "aber wenn dann doch schon mal mich dich mir dir hast habe hat bist sind war wird kann mein dein kein immer"
  ),
  fr: set(
    "le les des est et je tu il elle nous vous ne pas une que qui dans pour sur avec mais plus ce cette mon ton " +
      "son jai cest quand comme tout bien tres aussi suis fait moi toi"
  ),
  es: set(
    "el los las es y yo tu que en por con para pero mas muy como este esta mi su una unos cuando tambien hay " +
      "estoy eres soy tengo tienes donde quien porque nada todo bien ahora"
  ),
  pt: set(
    "o os e eu voce que em por com para mas mais muito como este esta meu minha uma quando tambem estou tenho " +
      "nao portugues falas conta segredo sim onde quem porque nada tudo bem agora isso foi ao da do nas nos hoje oi " +
      "ola tchau amanha obrigado " +
      "obrigada tens estas teu tua gostas fazes voces ainda ate numa num pois contigo " +
      "ja sabes foste moras queres achas estudas fizeste dizes moro estudo trabalho avo mae pai irmao irma pela ele " +
      "ela eles elas dele dela vou ontem depois boa quais sei disseste isto"
  ),
  it: set(
    "il lo gli e io tu che di per con ma piu molto come questo questa mio mia una quando anche sono sei ho hai " +
      "non si dove chi perche niente tutto bene adesso della nel"
  ),
  nl: set(
    "de het een en ik jij je wij niet is van met voor maar ook nog als dan wel mijn jouw zijn heb hebt heeft " +
      "ben bent dat dit wat waar naar uit bij geen"
  )
}

const MIN_WORDS = 6
/**
 * A text is in a language if this share of its words is typical of it, and it has twice as many of these as any other
 * language.
 */
const MIN_SHARE = 0.25

export const languageOf = (text: string): string | null => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return null
  const script = SCRIPTS.find(([, pattern]) => (text.match(pattern)?.length ?? 0) > letters * 0.3)
  if (script !== undefined) return script[0]
  const words = terms(text)
  if (words.length < MIN_WORDS) return null
  const ranking = Object.entries(TELLING)
    .map(([language, telling]) => ({ language, told: words.filter((word) => telling.has(word)).length }))
    .sort((a, b) => b.told - a.told)
  const [first, second] = ranking
  return first !== undefined && first.told >= words.length * MIN_SHARE && first.told >= 2 * (second?.told ?? 0)
    ? first.language
    : null
}

/**
 * Which of these languages even a short text is in, if its words tell. Never returns a language that cannot be
 * detected.
 */
export const languageAmong = (text: string, languages: ReadonlyArray<string>): string | null => {
  const words = terms(text)
  const [first, second] = languages
    .map((language) => ({ language, told: words.filter((word) => TELLING[language]?.has(word) === true).length }))
    .sort((a, b) => b.told - a.told)
  return first !== undefined && first.told > (second?.told ?? 0) ? first.language : null
}

/** The language of a tag such as `pt-BR`, in the form that `languageOf` returns. */
export const languageOfTag = (tag: string): string => {
  const language = tag.toLowerCase().split(/[-_]/)[0] ?? ""
  return SAME_SCRIPT[language] ?? language
}

/** Whether a text detected as one language may be in another: Japanese without kana looks like Chinese. */
export const mayBeIn = (told: string, language: string): boolean =>
  told === language || (told === "zh" && language === "ja")

/** Those of the tags that a text detected as one language may be in, such as `pt-BR` for `pt`. */
export const tagsOf = (told: string, tags: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  tags.flatMap((tag) => (tag !== null && mayBeIn(told, languageOfTag(tag)) ? [tag] : []))

/** Whether `languageOf` can detect this language at all. */
export const isDetectable = (language: string): boolean =>
  language in TELLING || SCRIPTS.some(([told]) => told === language)
