import type { Bundle } from "./Bundle.ts"
import { mapLore } from "./mapLore.ts"
import { type Fields, fieldsOf, isRecord, textOf } from "./readJson.ts"
import type { Report } from "./Report.ts"
import { slugify } from "./slugify.ts"
import { Text } from "./Text.ts"

/** The book itself. In version 3 it is under `data`. */
const bookOf = (file: Fields): Fields => (isRecord(file["data"]) ? fieldsOf(file["data"]) : file)

/**
 * Converts a lorebook or world info to a bundle: of a new character with its name, or of lore only if it is for an
 * existing character.
 */
export const mapLorebook = (file: Fields, filename: string, forPresent: boolean, report: Report): Bundle => {
  const text = new Text(report, null)
  const book = bookOf(file)
  const at = book === file ? "" : "data"
  const lore = mapLore(book, at === "" ? "book" : at, text)
  const name = text.bounded(
    text.prepare(book["name"], "name") || text.prepare(filename.replace(/\.[a-z]{1,5}$/i, ""), "filename") || "Unnamed",
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
