import { compilePattern, costOf, MOST_COST, MOST_LORE_COST } from "#pipeline/patterns.ts"
import { hashOf } from "./Bundle.ts"
import { fieldsOf, type Fields, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import { cut, piecesOf, type Text } from "./Text.ts"

const MOST_ENTRIES = 300
const MOST_KEYS = 20
const LONGEST_KEY = 100
const LONGEST_PATTERN = 500
const LONGEST_CONTENT = 2000
/** Parts that an entry may be made into. */
const MOST_PARTS = 5

/** SillyTavern's selectiveLogic. */
const LOGIC = ["and_any", "not_all", "not_any", "and_all"] as const

export interface MappedLore {
  readonly entries: ReadonlyArray<Fields>
  /** What entries said besides, by `loreKey`. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** By which what an entry said besides is found again, as long as its content stays. */
export const loreKey = (content: unknown): string => hashOf(content).slice(0, 16)

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}
const whole = (value: unknown, least: number, most: number): number | undefined => {
  const number = numberOf(value)
  return number === undefined ? undefined : Math.min(most, Math.max(least, Math.round(number)))
}

/** A world-info entry of SillyTavern in the words of a card's. */
const fromWorldInfo = (entry: Fields): Fields => {
  const {
    key,
    keysecondary,
    comment,
    disable,
    order,
    selectiveLogic,
    probability,
    useProbability,
    sticky,
    cooldown,
    delay,
    group,
    groupWeight,
    caseSensitive,
    matchWholeWords,
    extensions,
    ...rest
  } = entry
  return {
    ...rest,
    keys: key,
    secondary_keys: keysecondary,
    comment,
    insertion_order: order,
    enabled: disable !== true,
    ...(caseSensitive !== undefined && { case_sensitive: caseSensitive }),
    extensions: {
      ...fieldsOf(extensions),
      selectiveLogic,
      probability,
      useProbability,
      sticky,
      cooldown,
      delay,
      group,
      group_weight: groupWeight,
      match_whole_words: matchWholeWords
    }
  }
}

/** The entries of a book, in whichever form it has them. */
export const entriesOf = (book: Fields): ReadonlyArray<Fields> => {
  const entries = book["entries"]
  const list = isRecord(entries)
    ? Object.entries(entries)
        .toSorted(([a], [b]) => Number(a) - Number(b))
        .map(([, entry]) => entry)
    : listOf(entries)
  return list.filter(isRecord).map((entry) => ("key" in entry && !("keys" in entry) ? fromWorldInfo(entry) : entry))
}

const REGEX = /^\/(.*)\/([a-z]*)$/s
const PLAIN = /^[^\\^$.|?*+()[\]{}]+$/

/** The words of a pattern that is nothing but words and a choice among them; undefined for any other. */
const wordsOf = (pattern: string): ReadonlyArray<string> | undefined => {
  const bare = pattern.replace(/^\^|\$$|\\b/g, "")
  const inner = /^\((?:\?:)?([^()]*)\)$/.exec(bare)?.[1] ?? bare
  const words = inner.split("|")
  return words.every((word) => PLAIN.test(word)) ? words : undefined
}

/** The decorators (`@@name value`) that stand before the content, and the content. */
const decorated = (
  content: string
): { readonly decorators: ReadonlyArray<readonly [string, string]>; readonly content: string } => {
  const lines = content.split("\n")
  const end = lines.findIndex((line) => !line.startsWith("@@"))
  const heads = end === -1 ? lines : lines.slice(0, end)
  return {
    decorators: heads
      .map((line) => /^@@@?(\S*)\s*(.*)$/s.exec(line))
      .map((match) => [match?.[1] ?? "", (match?.[2] ?? "").trim()]),
    content: end === -1 ? "" : lines.slice(end).join("\n").trim()
  }
}

const byDecorators = (
  decorators: ReadonlyArray<readonly [string, string]>
): {
  readonly fields: Fields
  readonly keys: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
} => {
  const fields: Record<string, unknown> = {}
  const keys: Array<string> = []
  const excluded: Array<string> = []
  const unknown: Array<string> = []
  const listed = (value: string) =>
    value
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "")
  for (const [name, value] of decorators) {
    switch (name) {
      case "activate_only_after":
        fields["delay_turns"] = whole(value, 0, 200) ?? 0
        break
      case "keep_activate_after_match":
        fields["sticky_turns"] = 50
        break
      case "activate":
      case "constant":
        fields["constant"] = true
        break
      case "dont_activate":
        fields["enabled"] = false
        break
      case "additional_keys":
        keys.push(...listed(value))
        break
      case "exclude_keys":
        excluded.push(...listed(value))
        break
      default:
        unknown.push(`@@${name}${value === "" ? "" : ` ${value}`}`)
    }
  }
  return { fields, keys, excluded, unknown }
}

const KNOWN = new Set([
  "keys",
  "secondary_keys",
  "selective",
  "content",
  "constant",
  "enabled",
  "priority",
  "case_sensitive",
  "extensions"
])
const KNOWN_EXTENSIONS = new Set([
  "probability",
  "useProbability",
  "sticky",
  "cooldown",
  "delay",
  "selectiveLogic",
  "group",
  "group_weight",
  "match_whole_words"
])
const without = (fields: Fields, known: ReadonlySet<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => !known.has(key) && value !== undefined && value !== null)
  )

/** Makes a book's entries lore of ours. */
export const mapLore = (book: Fields, at: string, text: Text): MappedLore => {
  const { report } = text
  const entries: Array<Fields> = []
  const rest: Record<string, unknown> = {}
  const all = entriesOf(book)
  /** What patterns may still cost, those that are left out among them: each is compiled to see what it is. */
  let left = MOST_LORE_COST
  const isTaken = (pattern: string): boolean => {
    const cost = costOf(pattern)
    if (cost > MOST_COST || cost > left) return false
    left -= cost
    return compilePattern(pattern) !== null
  }

  const keysOf = (given: ReadonlyArray<string>, isRegex: boolean, path: string): ReadonlyArray<string> => {
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
          "A key that is a pattern was left out: it is too long or too large, or not of those that take no " +
            "longer than the text is.",
          key
        )
        return []
      })
      .map((key) => (key.startsWith("/") ? key : cut(text.prepare(key, path), LONGEST_KEY).trim()))
      .filter((key) => key !== "")
    if (keys.length > MOST_KEYS)
      report.warn("list_truncated", path, `More than ${MOST_KEYS} keys: the rest was left out.`)
    return [...new Set(keys)].slice(0, MOST_KEYS)
  }

  for (const [index, entry] of all.entries()) {
    const path = `${at}.entries[${index}]`
    if (entries.length >= MOST_ENTRIES) {
      report.warn("list_truncated", `${at}.entries`, `More than ${MOST_ENTRIES} entries: the rest was left out.`)
      break
    }
    const extensions = fieldsOf(entry["extensions"])
    const { decorators, content } = decorated(text.prepare(entry["content"], `${path}.content`))
    if (content === "") {
      report.dropped(path, "An entry without content.")
      continue
    }
    const said = byDecorators(decorators)
    const isRegex = entry["use_regex"] === true
    const selected = entry["selective"] === false ? [] : textsOf(entry["secondary_keys"])
    const secondary = keysOf(
      [...selected, ...said.keys, ...(selected.length + said.keys.length === 0 ? said.excluded : [])],
      isRegex,
      `${path}.secondary_keys`
    )
    const logic =
      selected.length + said.keys.length > 0
        ? LOGIC[whole(extensions["selectiveLogic"], 0, 3) ?? 0]
        : said.excluded.length > 0
          ? "not_any"
          : undefined
    const keys = keysOf(textsOf(entry["keys"]), isRegex, `${path}.keys`)
    const probability = extensions["useProbability"] === false ? undefined : numberOf(extensions["probability"])
    const priority = whole(entry["priority"], 0, 100)
    const weight = whole(extensions["group_weight"], 1, 10_000)
    const wholeWords = extensions["match_whole_words"]
    const turns = {
      sticky_turns: whole(extensions["sticky"], 0, 50),
      cooldown_turns: whole(extensions["cooldown"], 0, 200),
      delay_turns: whole(extensions["delay"], 0, 200)
    }
    const fields = {
      ...(keys.length > 0 && { keys }),
      ...(secondary.length > 0 && {
        secondary_keys: secondary,
        ...(logic !== undefined && logic !== "and_any" && { logic })
      }),
      ...(entry["constant"] === true && { constant: true }),
      ...(priority !== undefined && { priority }),
      ...(probability !== undefined && probability < 100 && { probability: Math.max(0, probability) / 100 }),
      ...Object.fromEntries(Object.entries(turns).filter(([, value]) => value !== undefined && value > 0)),
      ...(textOf(extensions["group"]) !== "" && { group: cut(textOf(extensions["group"]), 60) }),
      ...(weight !== undefined && { group_weight: weight }),
      ...(entry["case_sensitive"] === true && { case_sensitive: true }),
      ...(wholeWords === false && { whole_words: false }),
      ...(entry["enabled"] === false && { enabled: false }),
      ...said.fields
    }
    const pieces = piecesOf(content, LONGEST_CONTENT)
    if (pieces.length > 1)
      report.tell(
        "lore_parted",
        path,
        `Longer than ${LONGEST_CONTENT} characters: made into ${Math.min(pieces.length, MOST_PARTS)} entries.`
      )
    if (pieces.length > MOST_PARTS)
      report.warn(
        "text_truncated",
        path,
        `Longer than ${MOST_PARTS * LONGEST_CONTENT} characters: the rest was left out.`
      )
    for (const piece of pieces.slice(0, MOST_PARTS)) entries.push({ ...fields, content: piece })
    report.mapped(path, "lore")
    const more = {
      ...without(entry, KNOWN),
      ...(said.unknown.length > 0 && { decorators: said.unknown }),
      extensions: without(extensions, KNOWN_EXTENSIONS)
    }
    const { extensions: unusedExtensions, ...unused } = more
    if (Object.keys(unused).length + Object.keys(unusedExtensions).length > 0)
      rest[loreKey(pieces[0])] = {
        ...unused,
        ...(Object.keys(unusedExtensions).length > 0 && { extensions: unusedExtensions })
      }
  }
  return { entries: entries.slice(0, MOST_ENTRIES), rest }
}
