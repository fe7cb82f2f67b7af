import { plain } from "../plain.ts"

/**
 * Text in the form in which the rules for ages, AI questions and pictures read it: sentence by sentence, lower case, no
 * accents, no apostrophes, one space between words, disguises undone, numbers as digits, ordinals as `#8`. Every
 * sentence begins and ends with a space and keeps its final mark, so that ` bot ` matches a whole word. Linear in the
 * length of the text.
 */

/** Of longer texts, both ends are read. */
const MAX_READ = 4_000
/** Of more sentences, which are then only a few letters long, the first and the last are read. */
const MAX_SENTENCES = 200

const NUMBERS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      [5, "five funf cinco cinq"],
      [6, "six sechs seis"],
      [7, "seven sieben siete sete sept"],
      [8, "eight acht ocho oito huit"],
      [9, "nine neun nueve nove neuf"],
      [10, "ten zehn diez dez dix"],
      [11, "eleven elf once onze"],
      [12, "twelve zwolf doce doze douze"],
      [13, "thirteen dreizehn trece treze treize trese"],
      [14, "fourteen vierzehn catorce catorze quatorze fourten forteen 4teen"],
      [15, "fifteen funfzehn quince quinze fiveteen kinse kinze kince quinse fuffzehn fuchzehn"],
      [16, "sixteen sechzehn sechszehn dieciseis dezesseis dezasseis seize 6teen"],
      [17, "seventeen siebzehn siebenzehn sibzehn diecisiete dezessete dezassete 7teen"],
      [18, "eighteen achtzehn dieciocho dezoito"],
      [19, "nineteen neunzehn diecinueve dezenove dezanove"],
      [1, "eins"],
      [2, "two zwei deux dois duas"],
      [3, "three drei tres trois"],
      [4, "four vier cuatro quatro quatre"]
    ] as const
  ).flatMap(([value, words]) => words.split(" ").map((word) => [word, value]))
)

const ORDINALS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      [5, "fifth funfte quinto"],
      [6, "sixth sechste sechsten sexto sexta"],
      [7, "seventh siebte siebten septimo setimo setima septima"],
      [8, "eighth achte achten octavo oitavo oitava octava"],
      [9, "ninth neunte neunten noveno nono nona novena"],
      [10, "tenth zehnte zehnten decimo"],
      [11, "eleventh elfte elften"],
      [12, "twelfth zwolfte zwolften"],
      [13, "thirteenth dreizehnte dreizehnten"],
      [14, "fourteenth vierzehnte vierzehnten"],
      [15, "fifteenth funfzehnte funfzehnten"],
      [16, "sixteenth sechzehnte sechzehnten"],
      [17, "seventeenth siebzehnte siebzehnten"],
      [18, "eighteenth achtzehnte achtzehnten"],
      [1, "primero primeiro primer erste ersten"],
      [2, "segundo zweite zweiten"],
      [3, "tercero terceiro tercer dritte dritten"],
      [4, "fourth cuarto quarto vierte vierten"]
    ] as const
  ).flatMap(([value, words]) => words.split(" ").map((word) => [word, value]))
)

/** Long number words, for spelling mistakes of one letter. */
const TEENS = Object.keys(NUMBERS).filter((word) => word.length >= 7)
const isTeen = (word: string): boolean => (NUMBERS[word] ?? 0) >= 11

const ORDINAL_ENDINGS = new Set("th st nd rd te ten ter er e o a ro do to vo mo no ano".split(" "))
/** German nouns before which `9.` is an ordinal and not the end of a sentence. */
const AFTER_ORDINAL = new RegExp(
  "^(?:klasse|kl|geburtstag|schuljahr|jahrgangsstufe|schulstufe|stufe|sek|gymi|gymnasium|realschule|hak|htl|" +
    "oberstufe|kanti|lehrjahr|stock|etage|reihe|woche|platz|monat|lebensjahr|bezirk|januar|februar|marz|april|mai|" +
    "juni|juli|august|september|oktober|november|dezember|in)$"
)

const INNER_DIGIT = /(?<=\p{L})[013457@$](?=\p{L})|(?<![\p{L}\p{N}])7(?=een)/gu
const LETTER_FOR: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s"
}
const SET_APART = /(?<![\p{L}\p{N}'])\p{L}(?:[ .\-_*]\p{L}){2,40}(?![\p{L}\p{N}'])/gu
const SHORT_WORDS = /^[ruaimfyeo]+$/
const TOKENS = /\d{1,6}(?:[.,:'][0-9]{1,6})+|\d+|\p{L}+(?:'\p{L}+)*|[.!?;\n]+|[,:()%=#$€£°]|\p{Extended_Pictographic}/gu
const QUOTED = /["“”„«»][^"“”„«»\n]{1,300}["“”„«»]/g
/** German: a number and "-jährig" in one word. */
const OF_YEARS = /^(\p{L}{3,10}?)(jahrig(?:e[rsnm]?)?|einhalb)$/u
const MARKS = /^[.!?;\n]/

const editedOnce = (word: string, target: string): boolean => {
  if (Math.abs(word.length - target.length) > 1) return false
  let start = 0
  while (start < word.length && word[start] === target[start]) start++
  let ends = 0
  while (ends < Math.min(word.length, target.length) - start && word.at(-1 - ends) === target.at(-1 - ends)) ends++
  return Math.max(word.length, target.length) - start - ends <= 1
}

const numberOf = (word: string): number | undefined => {
  const known = NUMBERS[word]
  if (known !== undefined) return known
  const near = word.length < 6 || word.length > 12 ? undefined : TEENS.find((teen) => editedOnce(word, teen))
  return near === undefined ? undefined : NUMBERS[near]
}

const joined = (letters: string): string => {
  const word = letters.replace(/[ .\-_*]/g, "")
  return word.length === 3 && SHORT_WORDS.test(word) ? letters : word
}

/** Quotations contain the words of others, unless the whole message is one. */
const unquoted = (text: string): string => {
  const rest = text.replace(QUOTED, " ")
  return (rest.match(/\p{L}+/gu)?.length ?? 0) >= 2 ? rest : text
}

const bounded = (text: string): string =>
  text.length <= MAX_READ ? text : `${text.slice(0, MAX_READ / 2)}\n${text.slice(-MAX_READ / 2)}`

const DIGITS_APART = /(?<![\d.,:/] ?)1 ([0-7])(?![\d.,:/%])/g
const READABLE = /[\p{L}\p{N}]/u

/** Normalizes the whole text: lower case without accents, disguised words undone. Punctuation stays. */
const unaccented = (text: string): string =>
  plain(
    text
      .replace(/(?<=\d)\.(?=[ºª])/g, "")
      .replace(/º/g, "o")
      .replace(/ª/g, "a")
  )
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/ß/g, "ss")
    .replace(/ø/g, "o")
    .replace(INNER_DIGIT, (digit) => LETTER_FOR[digit] ?? digit)
    .replace(SET_APART, joined)
    .replace(DIGITS_APART, "1$1")

interface Token {
  readonly text: string
  /** Whether it follows the previous token without a space. */
  readonly glued: boolean
}

/** "am 16." and "vom 16." are days of the month in German, "i am 16." is an age. */
const isGermanDay = (tokens: ReadonlyArray<Token>, at: number): boolean =>
  /^(?:am|vom|zum|bis|ab|den|dem|der)$/.test(tokens[at - 1]?.text ?? "") && tokens[at - 2]?.text !== "i"

/** The ordinal, number or word for one token, or for it and the next one; and how many tokens were used. */
const readToken = (tokens: ReadonlyArray<Token>, at: number): readonly [string, number] => {
  const word = tokens[at]?.text ?? ""
  const next = tokens[at + 1]
  if (/^\d+$/.test(word)) {
    if (next?.glued === true && ORDINAL_ENDINGS.has(next.text) && word.length <= 2) return [`#${Number(word)}`, 2]
    const after = tokens[at + 2]?.text ?? ""
    if (next?.text === "." && word.length <= 2 && AFTER_ORDINAL.test(after)) return [`#${Number(word)}`, 2]
    if (next?.text === "." && word.length <= 2 && after !== "" && isGermanDay(tokens, at))
      return [`#${Number(word)}`, 2]
    if (next?.glued === true && next.text === "teen") return [String(10 + Number(word)), 2]
    return [word.length <= 4 ? String(Number(word)) : "number", 1]
  }
  if (!/^\p{L}/u.test(word)) return [word, 1]
  if (
    next !== undefined &&
    !next.glued &&
    word.length >= 2 &&
    word.length <= 7 &&
    next.text.length >= 2 &&
    isTeen(word + next.text) &&
    NUMBERS[next.text] === undefined
  )
    return [String(NUMBERS[word + next.text]), 2]
  if (word === "ten" && (next?.text === "go" || next?.text === "ho") && /^\d/.test(tokens[at + 2]?.text ?? ""))
    return [word + next.text, 2]
  const bare = word.replaceAll("'", "")
  const ordinal = ORDINALS[bare]
  if (ordinal !== undefined) return [`#${ordinal}`, 1]
  const years = OF_YEARS.exec(bare)
  if (years?.[1] !== undefined && NUMBERS[years[1]] !== undefined) return [`${NUMBERS[years[1]]} ${years[2]}`, 1]
  const value = numberOf(bare)
  return [value === undefined ? bare.replace(/(\p{L})\1{2,}/gu, "$1$1") : String(value), 1]
}

const tokensOf = (text: string): ReadonlyArray<Token> =>
  Array.from(text.matchAll(TOKENS), ({ 0: token, index }) => ({
    text: token,
    glued: index > 0 && READABLE.test(text.charAt(index - 1))
  }))

/** The sentences of a text in the form described above. */
export const sentencesOf = (text: string, options: { readonly quotations?: boolean } = {}): ReadonlyArray<string> => {
  const read = unaccented(bounded(text))
  const tokens = tokensOf(options.quotations === true ? read : unquoted(read))
  const sentences: Array<string> = []
  let words: Array<string> = []
  const end = (mark: string) => {
    if (words.length > 0) sentences.push(` ${words.join(" ")} ${mark} `)
    words = []
  }
  for (let at = 0; at < tokens.length;) {
    const [word, taken] = readToken(tokens, at)
    at += taken
    if (MARKS.test(word)) end(word.includes("?") ? "?" : word.startsWith("!") ? "!" : ".")
    else if (/^[\p{L}\d#%$€£°:]/u.test(word)) words.push(word)
    else if (word === "=") words.push(":")
    else if (words.at(-1) !== ",") words.push(",")
  }
  end(".")
  return sentences.length <= MAX_SENTENCES
    ? sentences
    : [...sentences.slice(0, MAX_SENTENCES / 2), ...sentences.slice(-MAX_SENTENCES / 2)]
}

/** A pattern for such sentences. A space in it stands for a word boundary. */
export const over = (...patterns: ReadonlyArray<string>): RegExp =>
  new RegExp(patterns.map((pattern) => `(?:${pattern})`).join("|"))

/** A list of words or phrases as a pattern alternative. */
export const anyOf = (words: string): string =>
  `(?:${words
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll("_", " "))
    .join("|")})`
