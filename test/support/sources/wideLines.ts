import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

/** The width at which the formatter wraps code. It leaves strings, comments, SQL and prose as they are. */
const MAX_COLUMNS = 120
const WRITTEN_BY_HAND = /\.(?:ts|tsx|mjs|js|sql|css|html|md)$/
const GENERATED = /\/generated\//
const ROOT = resolve(import.meta.dirname, "../../..")

const isTableRow = (file: string, line: string): boolean => file.endsWith(".md") && line.trimStart().startsWith("|")

const tooWide = (file: string): ReadonlyArray<string> =>
  readFileSync(resolve(ROOT, file), "utf8")
    .split("\n")
    .flatMap((line, n) =>
      Array.from(line).length > MAX_COLUMNS && !isTableRow(file, line) ? [`${file}:${n + 1}: ${line.trim()}`] : []
    )

// New files too, before they are committed.
const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
  cwd: ROOT,
  encoding: "utf8"
})
  .split("\0")
  .filter((file) => WRITTEN_BY_HAND.test(file) && !GENERATED.test(file))
const wide = files.filter((file) => existsSync(resolve(ROOT, file))).flatMap(tooWide)
for (const line of wide) console.error(line)
console.log(`${files.length} files checked, ${wide.length} lines over ${MAX_COLUMNS} columns.`)
process.exit(wide.length === 0 ? 0 : 1)
