import { Marked, type Tokens, Renderer } from "marked"
import { html, Html, prose } from "#src/http/server/page.ts"

export interface Heading {
  readonly id: string
  readonly depth: number
  readonly text: string
}

/** A heading with the text below it, for the search. */
export interface Passage extends Heading {
  readonly body: string
}

export interface Rendered {
  readonly html: Html
  readonly passages: ReadonlyArray<Passage>
}

/** The anchor of a heading as GitHub generates it. A repeated one gets a number. */
const anchorOf = (text: string, taken: Map<string, number>): string => {
  const anchor = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")
  const times = taken.get(anchor) ?? 0
  taken.set(anchor, times + 1)
  return times === 0 ? anchor : `${anchor}-${times}`
}

const isWeb = (address: string) => /^(?:https?:\/\/|[/#])/.test(address)

/** Markdown characters that say nothing in a list of results. */
const plain = (raw: string) =>
  raw
    .replaceAll(/<!--[^<>]*-->/g, "")
    .replaceAll(/\]\([^)\]\s]*\)/g, " ")
    .replaceAll(/[`*|[\]#]|-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()

/**
 * A page as HTML without scripts, styles or markup of its own: raw HTML is left out, and so are diagrams.
 *
 * @param linkTo where a link leads; null: its text is shown without a link
 */
export const renderMarkdown = (markdown: string, linkTo: (link: string) => string | null): Rendered => {
  const taken = new Map<string, number>()
  const passages: Array<{ id: string; depth: number; text: string; body: string }> = []
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      html: () => "",
      image: ({ text }) => html`${text}`.text,
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = anchorOf(text, taken)
        const inner = this.parser.parseInline(tokens)
        passages.push({ id, depth, text: plain(text), body: "" })
        const anchor = html` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${id}">${inner}${depth === 1 ? "" : anchor.text}</h${depth}>`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = linkTo(href)
        return target === null || !isWeb(target) ? inner : html`<a href="${target}">${new Html(inner)}</a>`.text
      },
      code: ({ text, lang = "" }: Tokens.Code) =>
        lang === "mermaid"
          ? ""
          : html`<div class="code"><pre tabindex="0"><code>${prose(text)}</code></pre></div>`.text,
      table(token: Tokens.Table) {
        const inner = new Html(Renderer.prototype.table.call(this, token))
        return html`<div class="scroll" role="group" aria-label="Table" tabindex="0">${inner}</div>`.text
      }
    }
  })
  const tokens = marked.lexer(markdown)
  // A heading is noted when it is rendered, so the text that follows it belongs to the last one.
  const parts = tokens.map((token) => {
    const part = marked.parser([token])
    const last = passages.at(-1)
    if (token.type !== "heading" && last !== undefined) last.body += ` ${plain(token.raw)}`
    return part
  })
  return { html: new Html(parts.join("")), passages }
}

/** The links of Markdown text, rewritten. Null leaves one as it is. */
export const rewriteLinks = (markdown: string, linkTo: (link: string) => string | null): string =>
  markdown.replaceAll(/\]\(([^)\]\s]+)\)/g, (all, link: string) => {
    const target = linkTo(link)
    return target === null ? all : `](${target})`
  })
