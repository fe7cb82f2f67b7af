import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const ROOT = resolve(import.meta.dirname, "../../..")

export interface Page {
  /** Relative to the project's folder, with slashes. */
  readonly path: string
  readonly text: string
}

/** A fenced code block of a page, with the marker above it. */
export interface Example {
  readonly page: string
  readonly line: number
  /** Null: it has none. */
  readonly marker: string | null
  readonly language: string
  readonly text: string
}

/** The documentation: the README, the contributing guide, and the pages under `docs`. */
export const pages: ReadonlyArray<Page> = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .sort()
].map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))

export const page = (path: string): string => {
  const found = pages.find((page) => page.path === path)
  if (found === undefined) throw new Error(`no page ${path}`)
  return found.text
}

/** The fenced code blocks of a page. An unclosed one extends to the end of the page. */
export const readExamples = ({ path, text }: Page): ReadonlyArray<Example> => {
  const lines = text.split("\n")
  const found: Array<Example> = []
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s*```(\w*)/.exec(lines[at] ?? "")
    if (fence === null) continue
    const end = lines.findIndex((line, index) => index > at && /^\s*```\s*$/.test(line))
    const until = end === -1 ? lines.length : end
    found.push({
      page: path,
      line: at + 1,
      marker: /^<!-- (.+) -->$/.exec(lines[at - 1] ?? "")?.[1] ?? null,
      language: fence[1] ?? "",
      text: lines.slice(at + 1, until).join("\n")
    })
    at = until
  }
  return found
}

export const examples: ReadonlyArray<Example> = pages.flatMap(readExamples)

/** The only block with this marker. */
export const example = (marker: string): string => {
  const found = examples.filter((example) => example.marker === marker)
  if (found.length !== 1) throw new Error(`${found.length} blocks are marked ${marker}`)
  return found[0]?.text ?? ""
}

/** A page without its fenced blocks. */
export const prose = ({ text }: Page): string => text.replaceAll(/^\s*```[\s\S]*?^\s*```\s*$/gm, "")

/** The anchors of a page's headings, as GitHub generates them. */
export const anchors = (page: Page): ReadonlySet<string> =>
  new Set(
    [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      (heading ?? "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-")
    )
  )

/** The variables in the table of settings. */
export const documentedSettings = (): ReadonlySet<string> =>
  new Set(
    [...page("docs/operate/settings.md").matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell]) =>
      [...(cell ?? "").matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name ?? "")
    )
  )
