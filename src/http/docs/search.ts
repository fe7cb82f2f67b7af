import MiniSearch from "minisearch"
import type { Passage } from "./markdown.ts"
import type { Page } from "./pages.ts"

const EXCERPT_CHARACTERS = 160

/** The index of the search, which the browser loads with the same options (src/http/docs/assets/docs.js). */
export const searchIndex = (
  pages: ReadonlyArray<{ readonly page: Page; readonly passages: ReadonlyArray<Passage> }>
): string => {
  const search = new MiniSearch({
    fields: ["page", "heading", "body"],
    storeFields: ["page", "heading", "excerpt"]
  })
  search.addAll(
    pages.flatMap(({ page, passages }) =>
      passages.map(({ id, depth, text, body }) => ({
        id: depth === 1 ? page.url : `${page.url}#${id}`,
        page: page.title,
        heading: depth === 1 ? page.title : text,
        body,
        excerpt: body.trim().slice(0, EXCERPT_CHARACTERS)
      }))
    )
  )
  return JSON.stringify(search)
}
