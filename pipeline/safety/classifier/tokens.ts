import { plain } from "../../plain.ts"

/**
 * A message as the classifier reads it: words in lower case without accents, disguises undone ("k i l l", "su1cide",
 * "k*ll"), numbers by what they may stand for, and marks. Linear in the length of the text.
 */

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
const SET_APART = /(?<![\p{L}\p{N}])\p{L}(?:[ .\-_*·]\p{L}){2,40}(?![\p{L}\p{N}])/gu
const DIGIT_IN_WORD = /(?<=\p{L})[013457@$](?=\p{L})/gu
const STARS_IN_WORD = /(?<=\p{L})\*{1,3}(?=\p{L})/gu
const LONG_DRAWN = /(\p{L})\1{2,}/gu
const TOKENS = /\p{L}+|\d+|[.!?\n]+|[,;:"“”„«»()]|\p{Extended_Pictographic}/gu
const ADULT = 18
const YOUNGEST = 5
const OLDEST = 99

/** Numbers say more by their kind: an age under 18, an age of an adult, the year of birth of somebody under 18. */
const kindOfNumber = (digits: string, year: number): string => {
  const number = Number(digits)
  if (number < YOUNGEST) return "0few"
  if (number < ADULT) return "0minor"
  // "Not yet 18" says something else than "not yet 40".
  if (number === ADULT) return "0eighteen"
  if (number <= OLDEST) return "0adult"
  if (number < year - OLDEST || number > year + 1) return "0many"
  return number > year - ADULT ? "0minoryear" : "0year"
}

/** Numbers as words, where these mean nothing else ("once" is eleven in Spanish, and is left). */
const MINOR_WORDS = new Set(
  `twelve thirteen fourteen fifteen sixteen seventeen zwolf dreizehn vierzehn funfzehn sechzehn siebzehn
  doce trece catorce quince dieciseis diecisiete doze treze quatorze quinze dezesseis dezasseis dezessete \
dezassete`.split(/\s+/)
)
const EIGHTEEN = new Set(["eighteen", "achtzehn", "dieciocho", "dezoito"])
const GERMAN_UNITS = "(?:(?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und)?"
const ADULT_WORD = new RegExp(
  `^(?:${[
    "nineteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty",
    `neunzehn|${GERMAN_UNITS}(?:zwan|vier|funf|sech|sieb|acht|neun)zig|${GERMAN_UNITS}dreissig`,
    "diecinueve|veinte|veinti\\p{L}{2,6}|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa",
    "dezanove|dezenove|vinte|trinta|quarenta|cinquenta|sessenta|oitenta"
  ].join("|")})$`,
  "u"
)

const markOf = (mark: string): string => {
  if (mark.includes("?")) return "?"
  if (/^[.!\n]/.test(mark)) return "."
  return /^["“”„«»]/.test(mark) ? '"' : ","
}

const normal = (text: string): string =>
  plain(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .replaceAll("'", "")
    .replace(SET_APART, (letters) => letters.replace(/[ .\-_*·]/g, ""))
    .replace(DIGIT_IN_WORD, (digit) => LETTER_FOR[digit] ?? digit)
    .replace(STARS_IN_WORD, "")
    .replace(LONG_DRAWN, "$1$1")

/** The longest excerpt has some 1,500 tokens in ordinary words. Of more tokens, both ends are read. */
const MOST_TOKENS = 2_400
const MOST_IN_A_ROW = 2

/** A token that is repeated many times in a row counts twice. */
const withoutRuns = (tokens: ReadonlyArray<string>): ReadonlyArray<string> =>
  tokens.filter((token, at) => at < MOST_IN_A_ROW || token !== tokens[at - 1] || token !== tokens[at - MOST_IN_A_ROW])

/** Of marks after single words ("Ja. Ok. Gut.") only the first stays: each would count like the end of a sentence. */
const withoutNearMarks = (tokens: ReadonlyArray<string>): ReadonlyArray<string> => {
  let last = -Infinity
  return tokens.filter((token, at) => {
    if (token !== "." && token !== ",") return true
    const isNear = at - last <= 2
    last = at
    return !isNear
  })
}

const UNITS = new Set(
  (
    "one two three four five six seven eight nine uno un dos tres cuatro cinco seis siete ocho nueve um dois duas " +
    "quatro sete oito nove"
  ).split(" ")
)
/** Drops the units after tens: "twenty two", "treinta y dos" and "vinte e dois" are one number. */
const withoutUnits = (tokens: ReadonlyArray<string>): ReadonlyArray<string> =>
  tokens.filter((token, at) => {
    const [before, after] = [tokens[at - 1] ?? "", tokens[at + 1] ?? ""]
    if (token === "y" || token === "e") return !(before === "0adult" && UNITS.has(after))
    return (
      !UNITS.has(token) || !(before === "0adult" || ((before === "y" || before === "e") && tokens[at - 2] === "0adult"))
    )
  })

const tokenOf = (token: string, year: number): string => {
  if (MINOR_WORDS.has(token)) return "0minor"
  if (EIGHTEEN.has(token)) return "0eighteen"
  if (ADULT_WORD.test(token)) return "0adult"
  if (/^[\p{L}\p{Extended_Pictographic}]/u.test(token)) return token
  return /^\d/.test(token) ? kindOfNumber(token, year) : markOf(token)
}

/** `year`: the present one, from which years of birth count. */
export const tokensOf = (text: string, year: number): ReadonlyArray<string> => {
  const tokens = withoutRuns(normal(text).match(TOKENS) ?? [])
  const read =
    tokens.length <= MOST_TOKENS ? tokens : [...tokens.slice(0, MOST_TOKENS / 2), ...tokens.slice(-MOST_TOKENS / 2)]
  return withoutNearMarks(withoutUnits(read.map((token) => tokenOf(token, year))))
}
