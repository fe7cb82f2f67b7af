import { compilePattern, costOf, MAX_COST, MAX_LORE_COST } from "#pipeline/patterns.ts"
import { cut, type Text } from "./Text.ts"

const MAX_KEYS = 20
const LONGEST_KEY = 100
const LONGEST_PATTERN = 500

const REGEX = /^\/(.*)\/([a-z]*)$/s
const PLAIN = /^[^\\^$.|?*+()[\]{}]+$/

/** The words of a pattern that consists only of words and alternatives. Undefined for any other pattern. */
const wordsOf = (pattern: string): ReadonlyArray<string> | undefined => {
  const bare = pattern.replace(/^\^|\$$|\\b/g, "")
  const inner = /^\((?:\?:)?([^()]*)\)$/.exec(bare)?.[1] ?? bare
  const words = inner.split("|")
  return words.every((word) => PLAIN.test(word)) ? words : undefined
}

export type ReadKeys = (given: ReadonlyArray<string>, isRegex: boolean, path: string) => ReadonlyArray<string>

/** Reads the keys of the entries of one book. All its patterns share one cost limit. */
export const loreKeyReader = (text: Text): ReadKeys => {
  const { report } = text
  /** The remaining cost for patterns. Rejected patterns count too, because each is compiled to check it. */
  let left = MAX_LORE_COST
  const isTaken = (pattern: string): boolean => {
    const cost = costOf(pattern)
    if (cost > MAX_COST || cost > left) return false
    left -= cost
    return compilePattern(pattern) !== null
  }

  return (given, isRegex, path) => {
    const keys = given
      .flatMap((given) => {
        const key = cut(given, LONGEST_PATTERN)
        const pattern = REGEX.exec(key)?.[1] ?? (isRegex ? key : undefined)
        if (pattern === undefined) return [key]
        const words = wordsOf(pattern)
        if (words !== undefined) return words
        const whole = `/${pattern}/${(REGEX.exec(key)?.[2] ?? "").replace(/[^gimsuy]/g, "")}`
        if (whole.length <= LONGEST_KEY && isTaken(pattern)) return [whole]
        report.warn(
          "regex_key_dropped",
          path,
          "A key with a regular expression was removed. It is too long, too large, or not in RE2 syntax.",
          key
        )
        return []
      })
      .map((key) => (key.startsWith("/") ? key : cut(text.prepare(key, path), LONGEST_KEY).trim()))
      .filter((key) => key !== "")
    if (keys.length > MAX_KEYS) report.warn("list_truncated", path, `More than ${MAX_KEYS} keys. The rest was omitted.`)
    return [...new Set(keys)].slice(0, MAX_KEYS)
  }
}
