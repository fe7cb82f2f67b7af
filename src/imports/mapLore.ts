import { byDecorators, decorated } from "./loreDecorators.ts"
import { entriesOf } from "./loreEntries.ts"
import { behaviourOf, triggersOf } from "./loreFields.ts"
import { loreKeyReader } from "./loreKeys.ts"
import { fieldsOf, type Fields } from "./readJson.ts"
import { cut, piecesOf, type Text } from "./Text.ts"
import { loreKey, unusedOf } from "./unusedLore.ts"

const MAX_ENTRIES = 300
const LONGEST_CONTENT = 2000
/** Maximum number of parts that one entry is split into. */
const MAX_PARTS = 5
/** How many unused settings of entries are named. */
const LISTED_SETTINGS = 20

export interface MappedLore {
  readonly entries: ReadonlyArray<Fields>
  /** Unused fields of entries, by `loreKey`. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** Settings of entries that are only kept for exports. */
const unusedIn = (rest: MappedLore["rest"]): ReadonlyArray<string> => {
  const entries = Object.values(rest).map(fieldsOf)
  const extensions = entries.map((entry) => fieldsOf(entry["extensions"]))
  return [...new Set([...entries, ...extensions].flatMap(Object.keys))].filter((name) => name !== "extensions")
}

/**
 * Converts the entries of a book, which are at a path of the file, to our lore. `isOurs`: the book was exported here,
 * where keys are whole words unless an entry says otherwise. In other programs they are parts of words.
 */
export const mapLore = (book: Fields, entriesAt: string, text: Text, isOurs = false): MappedLore => {
  const { report } = text
  const entries: Array<Fields> = []
  const rest: Record<string, unknown> = {}
  const keysOf = loreKeyReader(text)
  const isWholeWord = isOurs || fieldsOf(book["extensions"])["risu_fullWordMatching"] === true
  let isUnsaid = false
  for (const [index, entry] of entriesOf(book).entries()) {
    const path = `${entriesAt}[${index}]`
    if (entries.length >= MAX_ENTRIES) {
      report.warn("list_truncated", entriesAt, `More than ${MAX_ENTRIES} entries. The rest was omitted.`)
      break
    }
    const extensions = fieldsOf(entry["extensions"])
    const { decorators, content } = decorated(text.prepare(entry["content"], `${path}.content`))
    if (content === "") {
      report.dropped(path, "The entry has no content.")
      continue
    }
    const said = byDecorators(decorators)
    isUnsaid ||= extensions["match_whole_words"] === null && !isWholeWord
    const fields = {
      ...triggersOf(entry, extensions, said, keysOf, path),
      ...behaviourOf(entry, extensions, isWholeWord),
      ...said.fields
    }
    const pieces = piecesOf(content, LONGEST_CONTENT)
    if (pieces.length > 1)
      report.tell(
        "lore_parted",
        path,
        `Longer than ${LONGEST_CONTENT} characters. Split into ${Math.min(pieces.length, MAX_PARTS)} entries.`
      )
    if (pieces.length > MAX_PARTS)
      report.warn(
        "text_truncated",
        path,
        `Longer than ${MAX_PARTS * LONGEST_CONTENT} characters. The rest was omitted.`
      )
    for (const piece of pieces.slice(0, MAX_PARTS)) entries.push({ ...fields, content: piece })
    report.mapped(path, "lore")
    const unused = unusedOf(entry, extensions, said.unknown)
    if (unused !== undefined) rest[loreKey(pieces[0])] = unused
  }
  if (isUnsaid)
    report.tell(
      "lore_partial_words",
      entriesAt,
      "Entries that do not say whether their keys are whole words match within longer words too, as in SillyTavern. " +
        "Set whole_words to change that."
    )
  const unused = unusedIn(rest)
  const named = unused.slice(0, LISTED_SETTINGS).map((name) => cut(name, 40))
  const more = unused.length > LISTED_SETTINGS ? [`${unused.length - LISTED_SETTINGS} more`] : []
  if (unused.length > 0) report.dropped(entriesAt, `Not used. Kept for exports: ${[...named, ...more].join(", ")}.`)
  return { entries: entries.slice(0, MAX_ENTRIES), rest }
}
