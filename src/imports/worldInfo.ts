import { numberOf } from "./boundedNumber.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf, textsOf } from "./readJson.ts"

/** Far more keys than an entry may have. */
const MAX_READ_KEYS = 200

export const commaSeparated = (keys: unknown): ReadonlyArray<string> => textOf(keys).split(",", MAX_READ_KEYS)

/** Keys in a list, or in one text with commas. */
export const keysIn = (keys: unknown): ReadonlyArray<string> =>
  (typeof keys === "string" ? commaSeparated(keys) : textsOf(keys)).filter((key) => key.trim() !== "")

/** Keys of `keyanti` must not be found. */
const koboldEntry = (given: Fields): Fields => {
  const { key, keysecondary, keyanti, selective, constant, content, manual_text, ...others } = given
  const { probability, widisabled, title, comment, ...rest } = others
  const secondary = selective === true ? keysIn(keysecondary) : []
  const isExcluding = secondary.length === 0 && keysIn(keyanti).length > 0
  return {
    ...rest,
    name: textOf(title) || comment,
    content: textOf(content) || manual_text,
    keys: keysIn(key),
    secondary_keys: isExcluding ? keysIn(keyanti) : secondary,
    constant: constant === true,
    enabled: widisabled !== true,
    extensions: { ...(isExcluding && { selectiveLogic: 2 }), probability: numberOf(probability) }
  }
}

/** A card without keys is triggered by its title. */
const storyCard = ({ keys, triggers, entry, value, title, ...rest }: Fields): Fields => {
  const own = keysIn(keys ?? triggers)
  return { ...rest, name: title, content: textOf(entry) || value, keys: own.length > 0 ? own : keysIn(title) }
}

const isStoryCard = (card: unknown): boolean =>
  isRecord(card) && (typeof card["entry"] === "string" || typeof card["value"] === "string")

/** Whether a list of JSON is an export of story cards. */
export const isStoryCards = (list: ReadonlyArray<unknown>): boolean =>
  list.length > 0 && list.every((card) => isStoryCard(card) && ("keys" in fieldsOf(card) || "title" in fieldsOf(card)))

/** The world info of KoboldAI, or the story cards of AI Dungeon, in the form of a card's book. */
export const worldInfo = (file: Fields) => {
  const { worldinfo, worldinfo_v2, storyCards, worldInfo: older } = file
  const name = file["title"]
  const united = fieldsOf(worldinfo_v2)["entries"]
  const of = (list: unknown, read: (entry: Fields) => Fields): Fields => ({
    ...(typeof name === "string" && { name }),
    entries: listOf(isRecord(list) ? Object.values(list) : list)
      .filter(isRecord)
      .map(read)
  })
  if (isRecord(united))
    return { program: "KoboldAI", book: of(united, koboldEntry), entriesAt: "worldinfo_v2.entries" } as const
  if (Array.isArray(worldinfo))
    return { program: "KoboldAI", book: of(worldinfo, koboldEntry), entriesAt: "worldinfo" } as const
  if (Array.isArray(storyCards))
    return { program: "AI Dungeon", book: of(storyCards, storyCard), entriesAt: "storyCards" } as const
  if (Array.isArray(older))
    return { program: "AI Dungeon", book: of(older, storyCard), entriesAt: "worldInfo" } as const
  return undefined
}
