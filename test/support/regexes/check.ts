import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { buildPatterns } from "./buildPatterns.ts"
import { judge, RULES } from "./judge.ts"
import { codeFiles, type Pattern, readPatterns } from "./readPatterns.ts"

/**
 * Checks every regular expression of the server: literals, and patterns built while a module loads. Patterns already
 * known to be safe are skipped: their hashes are the lines of safe.txt. `--all` checks every pattern.
 */
const SAFE = resolve(import.meta.dirname, "safe.txt")

const keyOf = ({ source, flags }: Pattern): string =>
  createHash("sha256")
    .update(JSON.stringify([RULES, source, flags]))
    .digest("hex")
    .slice(0, 24)

const files = codeFiles()
const written = files.map(readPatterns)
const built = await buildPatterns(files)

const patterns = new Map<string, { readonly pattern: Pattern; readonly at: Set<string> }>()
for (const pattern of [...written.flatMap(({ literals }) => literals), ...built]) {
  const key = keyOf(pattern)
  const known = patterns.get(key) ?? { pattern, at: new Set() }
  patterns.set(key, known)
  known.at.add(pattern.at)
}

const known = new Set(process.argv.includes("--all") ? [] : readFileSync(SAFE, "utf8").split("\n"))
const safe = new Set([...patterns.keys()].filter((key) => known.has(key)))
const open = [...patterns].filter(([key]) => !safe.has(key))
const failures: Array<string> = []

const work = async (): Promise<void> => {
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [key, { pattern, at }] = next
    const verdict = await judge(pattern)
    if (verdict.safe) safe.add(key)
    else
      failures.push(
        `${[...at].join(", ")}: ${verdict.why}\n  pattern: /${pattern.source}/${pattern.flags}\n  attack:  ` +
          `${verdict.attack ?? "none found"}`
      )
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work))

const seen = new Set(built.map(({ call }) => call))
for (const call of written.flatMap(({ calls }) => calls)) {
  if (!seen.has(call))
    failures.push(
      `${call}: this pattern is built after its module has loaded, so it cannot be checked. Build it at load, ` +
        `or use RE2JS.`
    )
}

const kept = `${[...safe].sort().join("\n")}\n`
if (kept !== readFileSync(SAFE, "utf8")) writeFileSync(SAFE, kept)
for (const failure of failures.sort()) console.error(`${failure}\n`)
console.log(`${patterns.size} regular expressions in ${files.length} files checked, ${failures.length} of them unsafe.`)
process.exit(failures.length === 0 ? 0 : 1)
