import { fieldsOf, type Fields, isRecord, listOf } from "./readJson.ts"

/** A SillyTavern world-info entry with the field names of a card. */
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

/** RisuAI puts settings of its own into the extensions of an entry. */
const fromRisuCard = (entry: Fields): Fields => {
  const extensions = fieldsOf(entry["extensions"])
  const { risu_case_sensitive: isSensitive, risu_activationPercent: percent, ...rest } = extensions
  if (isSensitive === undefined && percent === undefined) return entry
  return {
    ...entry,
    extensions: {
      ...rest,
      case_sensitive: rest["case_sensitive"] ?? isSensitive,
      probability: rest["probability"] ?? percent
    }
  }
}

/** The entries of a book, in either form. The folders of RisuAI only order the list. */
export const entriesOf = (book: Fields): ReadonlyArray<Fields> => {
  const entries = book["entries"]
  const list = isRecord(entries)
    ? Object.entries(entries)
        .toSorted(([a], [b]) => Number(a) - Number(b))
        .map(([, entry]) => entry)
    : listOf(entries)
  return list
    .filter(isRecord)
    .filter(({ mode }) => mode !== "folder")
    .map((entry) => fromRisuCard("key" in entry && !("keys" in entry) ? fromWorldInfo(entry) : entry))
}
