import { readFileSync } from "node:fs"
import { posix } from "node:path"

/** The project's folder, from which the pages are read. */
const ROOT = new URL("../../../", import.meta.url)

/** A page of the docs. */
export interface Page {
  /** Its Markdown file, relative to the project's folder, such as `docs/build/events.md`. */
  readonly file: string
  /** Its address on the server, such as `/docs/build/events`. The same with `.md` is its Markdown. */
  readonly url: string
  readonly title: string
}

/** Pages for one kind of reader. */
export interface Section {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

/** The list of all pages, which is the first page itself. */
export const HOME: Page = { file: "docs/README.md", url: "/docs/", title: "Documentation" }

/** Pages outside `docs/`. */
const ADDRESSES: Readonly<Record<string, string>> = {
  [HOME.file]: HOME.url,
  "README.md": "/docs/quickstart",
  "CHANGELOG.md": "/docs/changelog",
  "CONTRIBUTING.md": "/docs/contributing"
}

const addressOf = (file: string) => ADDRESSES[file] ?? `/${file.replace(/\.md$/, "")}`

/** The Markdown of a page as it is in the repository. */
export const readPage = ({ file }: Page): string => readFileSync(new URL(file, ROOT), "utf8").replaceAll("\r\n", "\n")

const LINK = /^- \[([^\]]+)\]\(([^)]+)\)/

/** The sections in the order of the list in `docs/README.md`. */
export const readSections = (): ReadonlyArray<Section> => {
  const sections: Array<{ readonly title: string; readonly pages: Array<Page> }> = []
  for (const line of readPage(HOME).split("\n")) {
    if (line.startsWith("## ")) sections.push({ title: line.slice(3).replace(/:.*/, ""), pages: [] })
    const [, title, link] = LINK.exec(line) ?? []
    if (title === undefined || link === undefined) continue
    const file = posix.join("docs", link)
    sections.at(-1)?.pages.push({ file, url: addressOf(file), title })
  }
  return sections
}

/** Where a link of a page leads on the server. Null: nowhere, because it is not to a page. */
export const resolveLink = (from: Page, link: string, known: ReadonlySet<string>): string | null => {
  if (/^https?:\/\//.test(link)) return link
  if (link.startsWith("#") || link.startsWith("/")) return link
  const [path = "", anchor] = link.split("#", 2)
  const file = posix.join(posix.dirname(from.file), path)
  if (!known.has(file)) return null
  return addressOf(file) + (anchor === undefined ? "" : `#${anchor}`)
}
