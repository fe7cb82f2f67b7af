import { HOME, type Page, readPage, readSections, resolveLink, type Section } from "./pages.ts"
import { layout, markdownUrl } from "./layout.ts"
import { type Passage, renderMarkdown, rewriteLinks } from "./markdown.ts"
import { errorCodesPage, type OpenApi, referencePage, referencePages } from "./referencePages.ts"
import { tags } from "#src/http/server/reference/tags.ts"
import { html } from "#src/http/server/page.ts"
import { searchIndex } from "./search.ts"

// The functions that src/http/docs/prepareDocs.ts calls by name on a separate thread.

/** Documents by their address. */
export type Documents = ReadonlyMap<string, { readonly type: string; readonly text: string }>

const HTML = "text/html; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"

interface Written {
  readonly page: Page
  readonly markdown: string
}

const OTHERS: ReadonlyArray<Page> = [
  HOME,
  { file: "CONTRIBUTING.md", url: "/docs/contributing", title: "Contributing" },
  { file: "CHANGELOG.md", url: "/docs/changelog", title: "Changelog" }
]

const EXPLORER: Page = { file: "explorer", url: "/docs/explorer/", title: "Try requests" }

/** The guides with links that work on the server, and whether each is in the list of pages. */
const readGuides = (sections: ReadonlyArray<Section>): ReadonlyArray<Written> => {
  const pages = [...sections.flatMap(({ pages }) => pages), ...OTHERS]
  const known = new Set(pages.map(({ file }) => file))
  return pages.map((page) => ({
    page,
    markdown: rewriteLinks(readPage(page), (link) => resolveLink(page, link, known))
  }))
}

/** The sections of the navigation: the guides and, before what operators and contributors need, the reference. */
const navigation = (guides: ReadonlyArray<Section>): ReadonlyArray<Section> => {
  const at = guides.findIndex(({ title }) => title === "Operate")
  const reference: Section = {
    title: "API reference",
    pages: [
      ...tags.filter((tag) => tag["x-scalar-ignore"] !== true).map(({ name }) => referencePage(name)),
      referencePage("Error codes"),
      EXPLORER
    ]
  }
  return at === -1 ? [...guides, reference] : guides.toSpliced(at, 0, reference)
}

/** Links of a page that lead nowhere on the server are shown as text. */
const linkTo = (link: string) => (/^(?:https?:\/\/|[/#])/.test(link) ? link : null)

const render = ({ page, markdown }: Written) => ({ page, markdown, ...renderMarkdown(markdown, linkTo) })

const documentsOf = (
  written: ReadonlyArray<
    Written & { readonly html: ReturnType<typeof html>; readonly passages: ReadonlyArray<Passage> }
  >,
  sections: ReadonlyArray<Section>
) =>
  written.flatMap(({ page, markdown, html: body, passages }) => [
    [page.url, { type: HTML, text: layout(page, { sections, body, passages }) }] as const,
    [markdownUrl(page), { type: MARKDOWN, text: markdown }] as const
  ])

/** All guides, as pages and as Markdown, the page for a wrong address, and the guides in one file. */
export const guides = (): Documents => {
  const found = readSections()
  const sections = navigation(found)
  const written = readGuides(found).map(render)
  const readers = new Set(found.filter(({ title }) => title !== "Contribute").flatMap(({ pages }) => pages))
  const full = written
    .filter(({ page }) => readers.has(page))
    .map(({ page, markdown }) => `<!-- ${page.url} -->\n${markdown}`)
  const missing: Page = { file: "missing", url: "/docs/missing", title: "Page not found" }
  const body = html`<h1>Page not found</h1>
    <p>There is no page at this address. Search, or start with <a href="/docs/">all pages</a>.</p>`
  return new Map([
    ...documentsOf(written, sections),
    ["missing", { type: HTML, text: layout(missing, { sections, body, passages: [] }) }],
    ["/llms-full.txt", { type: "text/plain; charset=utf-8", text: full.join("\n\n") }]
  ])
}

/**
 * The reference as pages, and the index of the search. `openApi`: the OpenAPI document. `errors`: the catalogue of
 * errors as Markdown.
 */
export const reference = ({
  openApi,
  errors
}: {
  readonly openApi: Uint8Array
  readonly errors: string
}): Documents => {
  const document = JSON.parse(Buffer.from(openApi).toString("utf8")) as OpenApi
  const found = readSections()
  const written = [...referencePages(document), errorCodesPage(errors)].map(render)
  const searched = [
    ...readGuides(found)
      .filter(({ page }) => page.file !== "CHANGELOG.md")
      .map(render),
    ...written
  ]
  return new Map([
    ...documentsOf(written, navigation(found)),
    ["/docs/search.json", { type: "application/json; charset=utf-8", text: searchIndex(searched) }]
  ])
}
