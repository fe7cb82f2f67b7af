import { numberOf } from "./boundedNumber.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import { commaSeparated, worldInfo } from "./worldInfo.ts"

/** A lorebook of another program, in the form of a card's. */
export interface OtherLorebook {
  readonly program: "NovelAI" | "Agnai" | "RisuAI" | "KoboldAI" | "AI Dungeon"
  readonly book: Fields
  /** The path of its entries in the file. */
  readonly entriesAt: string
}

/** The budget priority that NovelAI gives to an entry, in our priorities: of both, the default is the middle. */
const NOVELAI_PRIORITY = 8

/** Maximum number of keys with `&` in one entry. */
const MAX_COMBINED = 20

/** The keys of an entry of NovelAI. A key with `&` in it fires if all its parts are found. */
const novelAiTriggers = (keys: ReadonlyArray<string>, group: string): ReadonlyArray<Fields> => {
  const isAll = (key: string) => key.includes("&") && !key.startsWith("/")
  const ways = [
    keys.filter((key) => !isAll(key)),
    ...keys
      .filter(isAll)
      .slice(0, MAX_COMBINED)
      .map((key) => key.split("&").map((part) => part.trim()))
  ]
  const [single = [], ...all] = ways
  if (all.length === 0) return [{ keys: single }]
  // One of a group is used, however many of its entries fire.
  const grouped = { group, match_whole_words: true }
  return [
    ...(single.length > 0 ? [{ keys: single, extensions: grouped }] : []),
    ...all.map(([key, ...others]) => ({
      keys: [key],
      secondary_keys: others,
      extensions: { ...grouped, selectiveLogic: 3 }
    }))
  ]
}

const novelAiEntries = (given: Fields, index: number, disabled: ReadonlySet<string>): ReadonlyArray<Fields> => {
  const { text, displayName, keys, enabled, forceActivation, contextConfig, ...rest } = given
  const priority = numberOf(fieldsOf(contextConfig)["budgetPriority"])
  const category = textOf(rest["category"])
  const entry: Fields = {
    ...rest,
    name: displayName,
    content: text,
    enabled: enabled !== false && !(category !== "" && disabled.has(category)),
    constant: forceActivation === true,
    contextConfig,
    ...(priority !== undefined && { priority: priority / NOVELAI_PRIORITY }),
    extensions: { match_whole_words: true }
  }
  return novelAiTriggers(textsOf(keys), `novelai ${index}`).map((triggers) => Object.assign({}, entry, triggers))
}

const fromNovelAi = ({ categories, ...book }: Fields): Fields => {
  const disabled = new Set(
    listOf(categories)
      .filter(isRecord)
      .flatMap((category) => (category["enabled"] === false ? [textOf(category["id"])] : []))
  )
  const entries = listOf(book["entries"])
    .filter(isRecord)
    .flatMap((entry, index) => novelAiEntries(entry, index, disabled))
  return { ...book, entries }
}

/** An entry that is neither enabled nor disabled is not used there. */
const agnaiEntry = ({ entry, keywords, weight, enabled, ...rest }: Fields): Fields => ({
  ...rest,
  content: entry,
  keys: typeof keywords === "string" ? commaSeparated(keywords) : keywords,
  insertion_order: weight,
  enabled: enabled !== false && enabled !== null,
  extensions: { match_whole_words: true }
})

const fromAgnai = (book: Fields): Fields => ({
  ...book,
  entries: listOf(book["entries"]).filter(isRecord).map(agnaiEntry)
})

const risuEntry = (given: Fields): Fields => {
  const { key, secondkey, comment, insertorder, alwaysActive, selective, useRegex, ...others } = given
  const { activationPercent, extentions, ...rest } = others
  return {
    ...rest,
    name: comment,
    keys: useRegex === true ? [key] : commaSeparated(key),
    ...(selective === true && { secondary_keys: commaSeparated(secondkey) }),
    selective: selective === true,
    use_regex: useRegex === true,
    constant: alwaysActive === true || rest["mode"] === "constant",
    insertion_order: insertorder,
    extensions: {
      ...fieldsOf(extentions),
      match_whole_words: false,
      ...(typeof activationPercent === "number" && { probability: activationPercent })
    }
  }
}

const fromRisuAi = (list: unknown): Fields => ({ entries: listOf(list).filter(isRecord).map(risuEntry) })

/** The book if the file is, or contains, a lorebook of another program. */
export const otherLorebook = (file: Fields): OtherLorebook | undefined => {
  const { type, kind, entries, lorebook, content, data, module } = file
  if (file["lorebookVersion"] !== undefined)
    return { program: "NovelAI", book: fromNovelAi(file), entriesAt: "book.entries" }
  // A scenario or a story of NovelAI.
  const inside = [lorebook, fieldsOf(content)["lorebook"]].find(
    (book) => isRecord(book) && book["lorebookVersion"] !== undefined
  )
  if (inside !== undefined)
    return {
      program: "NovelAI",
      book: { name: file["title"] ?? fieldsOf(file["metadata"])["title"], ...fromNovelAi(fieldsOf(inside)) },
      entriesAt: "lorebook.entries"
    }
  if (kind === "memory" && Array.isArray(entries))
    return { program: "Agnai", book: fromAgnai(file), entriesAt: "book.entries" }
  if (type === "risu" && Array.isArray(data)) return { program: "RisuAI", book: fromRisuAi(data), entriesAt: "data" }
  if (type !== "risuModule" || !isRecord(module)) return worldInfo(file)
  return {
    program: "RisuAI",
    book: { name: module["name"], ...fromRisuAi(module["lorebook"]) },
    entriesAt: "module.lorebook"
  }
}

/** The book in a card, which other programs keep in fields of their own. */
export const bookInCard = (data: Fields): Pick<OtherLorebook, "book" | "entriesAt"> => {
  const name = ["character_book", "characterBook", "lorebook"].find((field) => isRecord(data[field]))
  if (name !== undefined) {
    const book = fieldsOf(data[name])
    return { book: otherLorebook(book)?.book ?? book, entriesAt: `${name}.entries` }
  }
  return { book: Array.isArray(data["globalLore"]) ? fromRisuAi(data["globalLore"]) : {}, entriesAt: "globalLore" }
}
