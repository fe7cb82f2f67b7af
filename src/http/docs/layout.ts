import { type Html, html } from "#src/http/server/page.ts"
import { SCRIPT, SEARCH_SCRIPT, STYLE } from "./assets.ts"
import type { Passage } from "./markdown.ts"
import type { Page, Section } from "./pages.ts"

/** Scripts and styles come only from files of this server, and nothing is sent or loaded elsewhere. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

const linkTo = (page: Page, current: Page) =>
  html`<li><a href="${page.url}" ${page.url === current.url ? html`aria-current="page"` : null}>${page.title}</a></li>`

const navigation = (sections: ReadonlyArray<Section>, current: Page) =>
  html`<nav class="pages" id="pages" aria-label="Pages">
    ${sections.map(
      ({ title, pages }) =>
        html`<h2>${title}</h2>
          <ul>
            ${pages.map((page) => linkTo(page, current))}
          </ul>`
    )}
  </nav>`

/** The headings of a page, if there are several. */
const contents = (passages: ReadonlyArray<Passage>) => {
  const headings = passages.filter(({ depth }) => depth === 2)
  return headings.length < 2
    ? null
    : html`<nav class="contents" aria-label="On this page">
        <h2>On this page</h2>
        <ul>
          ${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
        </ul>
      </nav>`
}

const neighbours = (all: ReadonlyArray<Page>, current: Page) => {
  const at = all.findIndex(({ url }) => url === current.url)
  const [before, after] = [at > 0 ? all[at - 1] : undefined, at === -1 ? undefined : all[at + 1]]
  return before === undefined && after === undefined
    ? null
    : html`<nav class="neighbours" aria-label="Previous and next page">
        ${before === undefined ? null : html`<a rel="prev" href="${before.url}">← ${before.title}</a>`}
        ${after === undefined ? null : html`<a rel="next" href="${after.url}">${after.title} →</a>`}
      </nav>`
}

/** The address of the Markdown of a page. */
export const markdownUrl = ({ url }: Page): string => (url.endsWith("/") ? `${url}index.md` : `${url}.md`)

/** The document around a page. */
export const layout = (
  page: Page,
  {
    sections,
    body,
    passages
  }: {
    readonly sections: ReadonlyArray<Section>
    readonly body: Html
    readonly passages: ReadonlyArray<Passage>
  }
): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${page.title} · Troupe</title>
        <link rel="icon" href="data:," />
        <link rel="alternate" type="text/markdown" href="${markdownUrl(page)}" />
        <link rel="stylesheet" href="${STYLE.path}" />
        <script type="module" src="${SCRIPT.path}" data-search="${SEARCH_SCRIPT.path}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="/docs/">Troupe</a>
          <a class="menu" href="#pages">All pages</a>
          <search class="search" id="search" hidden>
            <label class="hidden" for="query">Search the docs</label>
            <input type="search" id="query" placeholder="Search" autocomplete="off" maxlength="100" />
            <p class="hidden" id="found" role="status"></p>
            <ul id="results" hidden></ul>
          </search>
        </header>
        <div class="frame">
          ${navigation(sections, page)}
          <main id="main" tabindex="-1">
            <article>${body}</article>
            ${neighbours(
              sections.flatMap(({ pages }) => pages),
              page
            )}
            <p class="small"><a href="${markdownUrl(page)}">This page as Markdown</a></p>
          </main>
          ${contents(passages)}
        </div>
      </body>
    </html> `.text
