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

/** The entries of a book, in either form. */
export const entriesOf = (book: Fields): ReadonlyArray<Fields> => {
  const entries = book["entries"]
  const list = isRecord(entries)
    ? Object.entries(entries)
        .toSorted(([a], [b]) => Number(a) - Number(b))
        .map(([, entry]) => entry)
    : listOf(entries)
  return list.filter(isRecord).map((entry) => ("key" in entry && !("keys" in entry) ? fromWorldInfo(entry) : entry))
}
