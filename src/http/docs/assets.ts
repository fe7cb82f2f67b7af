import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)
const ours = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8")

export interface Asset {
  /** Its name contains a hash of its text, so that a browser may keep it forever. */
  readonly path: string
  readonly type: string
  readonly text: string
}
const asset = (name: string, extension: string, type: string, text: string): Asset => ({
  path: `/docs/assets/${name}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.${extension}`,
  type: `${type}; charset=utf-8`,
  text
})

export const STYLE = asset("docs", "css", "text/css", ours("docs.css"))
export const SCRIPT = asset("docs", "js", "text/javascript", ours("docs.js"))
/** The search library, which the script loads when somebody searches. */
export const SEARCH_SCRIPT = asset(
  "minisearch",
  "js",
  "text/javascript",
  readFileSync(join(dirname(require.resolve("minisearch")), "../es/index.js"), "utf8").replace(/\/\/# source.*/, "")
)
export const ASSETS: ReadonlyMap<string, Asset> = new Map(
  [STYLE, SCRIPT, SEARCH_SCRIPT].map((asset) => [asset.path, asset])
)
