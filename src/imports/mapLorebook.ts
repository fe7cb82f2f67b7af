import { shownName } from "./Assets.ts"
import type { Bundle } from "./Bundle.ts"
import { unsupported } from "./ImportRefused.ts"
import { entriesOf } from "./loreEntries.ts"
import { mapLore } from "./mapLore.ts"
import { type OtherLorebook, otherLorebook } from "./otherLorebooks.ts"
import { type Fields, isRecord, textOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { slugify } from "./slugify.ts"
import { Text } from "./Text.ts"

/** How many fields of an unknown entry are named. */
const MAX_NAMED = 8

interface Read extends Pick<OtherLorebook, "book" | "entriesAt"> {
  readonly program?: OtherLorebook["program"]
}

/** The book itself. In version 3 it is under `data`. */
const bookOf = (file: Fields): Read =>
  otherLorebook(file) ??
  (isRecord(file["data"])
    ? { book: file["data"], entriesAt: "data.entries" }
    : { book: file, entriesAt: "book.entries" })

/** Refuses a book of which nothing would be imported. An empty one of an unknown program is only reported. */
const requireLore = ({ book, entriesAt, program }: Read, report: Report): void => {
  const entries = entriesOf(book)
  const problem = `has no entry with a text to import (${entries.length} in all).`
  if (program !== undefined) throw unsupported(`The ${program} lorebook ${problem}`)
  if (entries[0] !== undefined) {
    const named = Object.keys(entries[0]).slice(0, MAX_NAMED).map(shownName).join(", ")
    throw unsupported(`The lorebook ${problem} The first one has the fields ${named}.`)
  }
  report.warn("lorebook_empty", entriesAt, "The lorebook has no entries. No lore is imported.")
}

/**
 * Converts a lorebook or world info to a bundle: of a new character with its name, or of lore only if it is for an
 * existing character.
 */
export const mapLorebook = (file: Fields, filename: string, forPresent: boolean, report: Report): Bundle => {
  const text = new Text(report, null)
  const read = bookOf(file)
  const { book } = read
  const lore = mapLore(book, read.entriesAt, text)
  if (lore.entries.length === 0) requireLore(read, report)
  const name = text.bounded(
    text.prepare(book["name"], "name") || text.prepare(filename.replace(/\.[a-z]{1,8}$/i, ""), "filename") || "Unnamed",
    80,
    "name"
  )
  if (!forPresent)
    report.warn(
      "lorebook_only",
      "name",
      "A lorebook has no character. A character with its name is created, with nothing but " +
        "the lore. With mode: update, the lore is added to an existing character.",
      name
    )
  const { entries: _, ...rest } = book
  const extra = {
    book: Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "object" || value !== null)),
    lore: lore.rest
  }
  return {
    character: forPresent
      ? {}
      : {
          slug: slugify(name),
          display_name: name,
          ...(textOf(book["description"]) !== "" && {
            visible_bio: text.bounded(text.prepare(book["description"], "description"), 2000, "description")
          })
        },
    npcs: [],
    lore: lore.entries,
    assets: [],
    evidence: [],
    visual_identity: null,
    extra: Object.fromEntries(Object.entries(extra).filter(([, part]) => Object.keys(part).length > 0))
  }
}
