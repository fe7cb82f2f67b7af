import { boundedWhole, numberOf } from "./boundedNumber.ts"
import type { Decorated } from "./loreDecorators.ts"
import type { ReadKeys } from "./loreKeys.ts"
import { type Fields, textOf, textsOf } from "./readJson.ts"
import { cut } from "./Text.ts"

/** SillyTavern's selectiveLogic. */
const LOGIC = ["and_any", "not_all", "not_any", "and_all"] as const

/** What triggers an entry: its keys, the secondary keys and their logic. */
export const triggersOf = (
  entry: Fields,
  extensions: Fields,
  said: Pick<Decorated, "keys" | "excluded">,
  keysOf: ReadKeys,
  path: string
): Fields => {
  const isRegex = entry["use_regex"] === true
  // Null is false in SillyTavern.
  const selected = entry["selective"] === false || entry["selective"] === null ? [] : textsOf(entry["secondary_keys"])
  const secondary = keysOf(
    [...selected, ...said.keys, ...(selected.length + said.keys.length === 0 ? said.excluded : [])],
    isRegex,
    `${path}.secondary_keys`
  )
  const logic =
    selected.length + said.keys.length > 0
      ? LOGIC[boundedWhole(extensions["selectiveLogic"], 0, 3) ?? 0]
      : said.excluded.length > 0
        ? "not_any"
        : undefined
  const keys = keysOf(textsOf(entry["keys"]), isRegex, `${path}.keys`)
  return {
    ...(keys.length > 0 && { keys }),
    ...(secondary.length > 0 && {
      secondary_keys: secondary,
      ...(logic !== undefined && logic !== "and_any" && { logic })
    })
  }
}

/**
 * When and how often a triggered entry is used, and its priority. `isWholeWord` is how the program that wrote the book
 * reads an entry that does not say whether its keys are whole words.
 */
export const behaviourOf = (entry: Fields, extensions: Fields, isWholeWord: boolean): Fields => {
  const probability = extensions["useProbability"] === false ? undefined : numberOf(extensions["probability"])
  const priority = boundedWhole(entry["priority"], 0, 100)
  const weight = boundedWhole(extensions["group_weight"], 1, 10_000)
  const wholeWords = extensions["match_whole_words"] ?? isWholeWord
  const turns = {
    sticky_turns: boundedWhole(extensions["sticky"], 0, 50),
    cooldown_turns: boundedWhole(extensions["cooldown"], 0, 200),
    delay_turns: boundedWhole(extensions["delay"], 0, 200)
  }
  return {
    ...(entry["constant"] === true && { constant: true }),
    ...(priority !== undefined && { priority }),
    ...(probability !== undefined && probability < 100 && { probability: Math.max(0, probability) / 100 }),
    ...Object.fromEntries(Object.entries(turns).filter(([, value]) => value !== undefined && value > 0)),
    ...(textOf(extensions["group"]) !== "" && { group: cut(textOf(extensions["group"]), 60) }),
    ...(weight !== undefined && { group_weight: weight }),
    ...((entry["case_sensitive"] ?? extensions["case_sensitive"]) === true && { case_sensitive: true }),
    ...(wholeWords === false && { whole_words: false }),
    ...(entry["enabled"] === false && { enabled: false })
  }
}
