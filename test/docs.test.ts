import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "vitest"
import {
  anchors,
  documentedSettings,
  type Example,
  examples,
  page,
  pages,
  prose,
  readExamples,
  ROOT
} from "./support/sources/docs.ts"

/** Markers of blocks that are run, and the files with their tests. */
const RUN: Readonly<Record<string, ReadonlyArray<string>>> = {
  "test/e2e/operators/readme.test.ts": [
    "conversation",
    "stream",
    "own",
    "walk",
    "account-start",
    "account-finish",
    "caps",
    "sandbox",
    "proactive",
    "picture",
    "world",
    "research",
    "webhook"
  ],
  "test/e2e/operators/docs-examples.test.ts": [
    "verify",
    "answer: error",
    "answer: rate-limit",
    "setting: SAFETY_TEXTS",
    "setting: SERVICE_TEXTS",
    "model",
    "processes",
    "commands",
    "telegram-attach",
    "telegram-sheet",
    "export",
    "body: POST /v1/telegram/bots",
    "body: POST /v1/telegram/batches"
  ],
  "test/e2e/mcp/mcp-stdio.test.ts": ["mcp-http", "mcp-stdio"],
  "test/http/mcp/events.test.ts": ["mcp-events"],
  "test/client/package.test.ts": ["client-project", "client-first", "client-backend", "client-python"],
  "test/deploy/deploy.test.ts": ["container", "compose", "systemd", "kubernetes", "proxy"],
  "test/e2e/conversation/demo.test.ts": ["demo"],
  "test/e2e/operators/pooler.test.ts": ["pooler-role"],
  "test/e2e/conversation/browser-events.test.ts": ["browser"],
  "test/http/conversation/feed-examples.test.ts": ["feed", "consumer"]
}
/** For blocks that are not run: their scripts exist. */
const SCRIPT = "script"
const KNOWN: ReadonlySet<string> = new Set([SCRIPT, ...Object.values(RUN).flat()])

/** Blocks without a test. Diagrams do not count. */
const unknown = (blocks: ReadonlyArray<Example>) =>
  blocks
    .filter(({ language, marker }) => language !== "mermaid" && (marker === null || !KNOWN.has(marker)))
    .map(({ page, line }) => `${page}:${line}`)

/** Links to missing files or headings. */
const broken = (among: typeof pages) =>
  among.flatMap((from) =>
    [...prose(from).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^https?:/.test(link)) return []
      const [target = "", anchor] = link.split("#")
      const path = target === "" ? from.path : normalize(join(dirname(from.path), target)).replaceAll("\\", "/")
      const to = among.find((page) => page.path === path)
      if (to === undefined)
        return /^(?:CHANGELOG\.md$|LICENSE$|clients\/)/.test(path) && existsSync(join(ROOT, path))
          ? []
          : [`${from.path} -> ${link}`]
      return anchor === undefined || anchors(to).has(anchor) ? [] : [`${from.path} -> ${link}`]
    })
  )

/** Paths of the source in backticks that do not exist. Paths with a placeholder, such as `<domain>`, do not count. */
const missing = (among: typeof pages) =>
  among.flatMap((from) =>
    [...prose(from).matchAll(/`([^`\n]+)`/g)]
      .flatMap(([, code = ""]) => code.split(/\s+/))
      .filter((word) => /^(?:src|channels|pipeline|test|bench|migrations)\/[^<*]*$/.test(word))
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${from.path}: ${path}`)
  )

/** Environment variables that are not settings of the server. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  "TROUPE_KEY",
  "TROUPE_OPERATOR_TOKEN",
  "TARGET_DATABASE_URL",
  "TROUPE_URL",
  "PHONE_PORT",
  "PRICE_VERSION",
  "CHROMIUM",
  "PICTURES"
])

describe("the docs", () => {
  it("contain no untested example", () => {
    assert.deepStrictEqual(unknown(examples), [])
    assert.deepStrictEqual(unknown(readExamples({ path: "a.md", text: "<!-- other -->\n```sh\nls\n```" })), ["a.md:2"])
    assert.deepStrictEqual(unknown(readExamples({ path: "a.md", text: "text\n```json\n{}\n```" })), ["a.md:2"])
  })

  it("contain each example that a test runs", () => {
    const marked = new Set(examples.map(({ marker }) => marker))
    for (const [file, markers] of Object.entries(RUN)) {
      const source = readFileSync(join(ROOT, file), "utf8")
      for (const marker of markers) {
        assert.isTrue(marked.has(marker), marker)
        assert.include(source, JSON.stringify(marker), file)
      }
    }
  })

  it("mention only existing scripts", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm (?:run (?:-s )?)?([a-z][\w:]*)/g)].map(([, name = ""]) => [path, name] as const)
    )
    assert.isAbove(named.length, 20)
    for (const [path, name] of named) {
      if (["ci", "i", "install", "pack", "run", "under"].includes(name)) continue
      assert.property(scripts, name, path)
    }
  })

  it("contain only links that lead somewhere", () => {
    assert.deepStrictEqual(broken(pages), [])
    const text = "# A b\n[one](#a-b) [two](#c) [three](missing.md)"
    assert.deepStrictEqual(broken([{ path: "a.md", text }]), ["a.md -> #c", "a.md -> missing.md"])
  })

  it("are all listed on their first page", () => {
    const linked = [...page("docs/README.md").matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)]
      .map(([, link = ""]) => normalize(join("docs", link)).replaceAll("\\", "/"))
      .filter((path) => path !== "README.md")
    const there = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== "docs/README.md")
    assert.sameMembers(linked, there)
  })

  it("mention only existing settings", () => {
    const settings = documentedSettings()
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name = ""]) => [path, name] as const)
    )
    assert.isAbove(named.length, 50)
    for (const [path, name] of named) {
      const isPrefix = name.endsWith("_")
      assert.isTrue(settings.has(name) || OTHER_VARIABLES.has(name) || isPrefix, `${name} in ${path}`)
    }
  })

  it("mention only source paths that exist", () => {
    assert.deepStrictEqual(missing(pages), [])
    const text = "`src/main.ts` `vitest run test/gone.test.ts` `src/http/<domain>/` `src/gone/`"
    assert.deepStrictEqual(missing([{ path: "a.md", text }]), ["a.md: test/gone.test.ts", "a.md: src/gone/"])
  })

  it("start with a README of two screens", () => {
    assert.isAtMost(Buffer.byteLength(page("README.md")), 8 * 1024)
  })
})
