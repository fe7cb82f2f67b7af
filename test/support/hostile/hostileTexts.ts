import { type Attack, attacksOn, SIGNS, textOf } from "#test/support/regexes/attacks.ts"

/** The length of the longest message. */
export const LONGEST_TEXT = 32_000

/** Texts that once blocked the server, or nearly. */
const KNOWN: ReadonlyArray<string> = [
  `${".".repeat(1_990)}a`,
  `[Personality=${'"a"    '.repeat(25)}!`,
  `soy ${"un ".repeat(60)}x`,
  "\n".repeat(LONGEST_TEXT),
  "<a ".repeat(LONGEST_TEXT / 3)
]

const alone = (pump: string): Attack => ({ pumps: [{ prefix: "", pump }], suffix: "" })
const PUMPS: ReadonlyArray<string> = [
  ...SIGNS,
  "\u202e\u202c",
  "\u2066א\u2069",
  "ab\u202ecd",
  "\udfff",
  "\ud83d\ud83d",
  "\u200d",
  "👩‍🚀",
  "e\u0301\u0301\u0301",
  "\ufeff",
  "\u00ad",
  "ﷺ",
  "İ",
  "ß",
  "\r\n",
  "\0",
  "\\",
  "()",
  "[]",
  "a b ",
  "I am ",
  "the ",
  "i ",
  "you ",
  "Mara: ",
  "A",
  "Ab ",
  "a.b.",
  "a@b.",
  "https://a.b/",
  "1 2 ",
  "01:",
  "no ",
  '"a" ',
  "“”",
  "„a“",
  "- a\n",
  "1. a\n",
  "# ",
  "> ",
  "| ",
  "&amp;",
  "{{user}}",
  "<START>\n"
]

/** Repetitions and near matches of what any rule may look for. */
export const hostileTexts = (length = LONGEST_TEXT): ReadonlyArray<string> => [
  ...KNOWN,
  ...PUMPS.flatMap((pump) => [alone(pump), { pumps: [{ prefix: "", pump }], suffix: "\u0001z" }]).map((attack) =>
    textOf(attack, length)
  ),
  ...PUMPS.slice(0, 12).map((pump) =>
    textOf(
      {
        pumps: [
          { prefix: "hello ", pump },
          { prefix: "?", pump }
        ],
        suffix: "!a"
      },
      length
    )
  )
]

/** Near matches from the words of these patterns: a sample across all of them. */
export const hostileTo = (
  sources: ReadonlyArray<string>,
  most: number,
  length = LONGEST_TEXT
): ReadonlyArray<string> => {
  const attacks = sources.flatMap(attacksOn)
  const step = Math.max(1, attacks.length / most)
  return Array.from(
    { length: Math.min(most, attacks.length) },
    (_, index) => attacks[Math.floor(index * step)]
  ).flatMap((attack) => (attack === undefined ? [] : [textOf(attack, length)]))
}
