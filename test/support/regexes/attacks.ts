/** The parts of an attack text: `"a".repeat(n) + "!"` has the pump "a" and the suffix "!". */
export interface Attack {
  readonly pumps: ReadonlyArray<{ readonly prefix: string; readonly pump: string }>
  readonly suffix: string
}

/** The text of an attack, about this long. */
export const textOf = ({ pumps, suffix }: Attack, length: number): string => {
  const fixed = suffix.length + pumps.reduce((sum, { prefix }) => sum + prefix.length, 0)
  const pumped = pumps.reduce((sum, { pump }) => sum + pump.length, 0)
  const times = Math.max(1, Math.floor((length - fixed) / Math.max(1, pumped)))
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix
}

/** The same as a JavaScript expression. */
export const inWords = ({ pumps, suffix }: Attack, length: number): string => {
  const pumped = pumps.reduce((sum, { pump }) => sum + pump.length, 0)
  const times = Math.floor(length / Math.max(1, pumped))
  return [
    ...pumps.map(({ prefix, pump }) => `${JSON.stringify(prefix)} + ${JSON.stringify(pump)}.repeat(${times})`),
    JSON.stringify(suffix)
  ].join(" + ")
}

/**
 * Characters that patterns may treat alike or differently: spaces, punctuation, non-ASCII letters, marks, lone
 * surrogates.
 */
export const SIGNS: ReadonlyArray<string> = [
  " ",
  "\n",
  "\t",
  ". ",
  ".",
  ",",
  "!",
  "?",
  "'",
  '"',
  "-",
  "/",
  "<",
  "<a ",
  "{{",
  "[",
  "(",
  "*",
  ":",
  "@",
  "#",
  "`",
  "“",
  "«",
  "a",
  "ª",
  "É",
  "1",
  "1.",
  "👍",
  "❤️",
  "\u00a0",
  "\u200b",
  "\u202e",
  "\u0301",
  "\ud83d",
  "漢",
  "ª ",
  "a ",
  "A b "
]
const AFTER_A_WORD: ReadonlyArray<string> = [" ", "\n", ".", ",", "'", "a", "ª", "a ", "1"]
const MAX_WORDS = 12
/** Neither a letter nor a space, and nothing that patterns look for. */
const SUFFIX = "\u0001z"

/** The literal words of a pattern, in order. If there are many, a sample across all of them. */
const wordsIn = (source: string): ReadonlyArray<string> => {
  const plain = source
    .replace(/\\[pP]\{\w{1,40}(?:=\w{1,40})?\}|\\u[\dA-F]{4}|\\[a-zA-Z]/g, "|")
    .replace(/\\(.)/gs, "$1")
  const words = [
    ...new Set((plain.match(/[\p{L}\p{N}'’]+(?: [\p{L}\p{N}'’]+)*/gu) ?? []).filter((word) => word.length > 1))
  ]
  const step = Math.max(1, words.length / MAX_WORDS)
  return Array.from({ length: Math.min(words.length, MAX_WORDS) }, (_, index) => words[Math.floor(index * step)] ?? "")
}

const one = (prefix: string, pump: string): Attack => ({ pumps: [{ prefix, pump }], suffix: SUFFIX })

/** A successful attack with other pumps. If one fails, another of the same kind may succeed. */
export const variationsOf = ({ pumps: [first], suffix }: Attack): ReadonlyArray<Attack> =>
  first === undefined
    ? []
    : SIGNS.flatMap((sign) => [
        { pumps: [{ prefix: first.prefix, pump: sign }], suffix },
        one(`${first.prefix}${first.pump}`, sign)
      ])

/** Near matches from a pattern's own words and characters: each repeated, alone and in sequence. */
export const attacksOn = (source: string): ReadonlyArray<Attack> => {
  const words = wordsIn(source)
  const own = [...new Set(source.replace(/[\p{L}\p{N}\s]/gu, ""))].filter((sign) => !SIGNS.includes(sign))
  const signs = [...SIGNS, ...own]
  return [
    ...signs.map((sign) => one("", sign)),
    ...words.flatMap((word) => AFTER_A_WORD.concat(own).map((sign) => one(word, sign))),
    ...words.flatMap((word) => ["", " "].map((space) => one("", word + space))),
    ...words.flatMap((word) => words.map((other) => one(`${word} `, `${other} `)))
  ]
}
