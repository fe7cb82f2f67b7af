import { byDecorators, decorated } from "./loreDecorators.ts"
import { entriesOf } from "./loreEntries.ts"
import { behaviourOf, triggersOf } from "./loreFields.ts"
import { loreKeyReader } from "./loreKeys.ts"
import { fieldsOf, type Fields } from "./readJson.ts"
import { piecesOf, type Text } from "./Text.ts"
import { loreKey, unusedOf } from "./unusedLore.ts"

const MAX_ENTRIES = 300
const LONGEST_CONTENT = 2000
/** Maximum number of parts that one entry is split into. */
const MAX_PARTS = 5

export interface MappedLore {
  readonly entries: ReadonlyArray<Fields>
  /** Unused fields of entries, by `loreKey`. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** Converts the entries of a book to our lore. */
export const mapLore = (book: Fields, at: string, text: Text): MappedLore => {
  const { report } = text
  const entries: Array<Fields> = []
  const rest: Record<string, unknown> = {}
  const keysOf = loreKeyReader(text)
  for (const [index, entry] of entriesOf(book).entries()) {
    const path = `${at}.entries[${index}]`
    if (entries.length >= MAX_ENTRIES) {
      report.warn("list_truncated", `${at}.entries`, `More than ${MAX_ENTRIES} entries. The rest was omitted.`)
      break
    }
    const extensions = fieldsOf(entry["extensions"])
    const { decorators, content } = decorated(text.prepare(entry["content"], `${path}.content`))
    if (content === "") {
      report.dropped(path, "The entry has no content.")
      continue
    }
    const said = byDecorators(decorators)
    const fields = {
      ...triggersOf(entry, extensions, said, keysOf, path),
      ...behaviourOf(entry, extensions),
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
  return { entries: entries.slice(0, MAX_ENTRIES), rest }
}
