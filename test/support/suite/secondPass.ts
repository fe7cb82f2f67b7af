import { spawnSync } from "node:child_process"
import { appendFileSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { readRun } from "./RunRecord.ts"

/**
 * After a red run: the files that did not pass run again, each alone, three times. If all of that is green, the run
 * passes, and the files are listed as unsteady. A file that is listed already fails: what was needed twice is a bug.
 */

const MAX_FILES = 2
const TIMES = "3"
const LIST = resolve(import.meta.dirname, "../../unsteady.md")

const run = readRun()
const { red, stray } = run ?? { red: [], stray: [] }
const fail = (why: string): never => {
  console.log(`\nNo second pass: ${why}`)
  for (const { file, error } of red) console.log(`FAIL ${file}: ${error}`)
  process.exit(1)
}
if (run === null) fail("the run did not end")
if (stray.length > 0) fail(`an error belongs to no file: ${stray[0]}`)
if (red.length === 0) fail("no file failed, so something else did")
if (red.length > MAX_FILES) fail(`${red.length} files did not pass, and ${MAX_FILES} may`)
const listed = readFileSync(LIST, "utf8")
for (const { file } of red)
  if (listed.includes(`\`${file}\``)) fail(`${file} is already listed in test/unsteady.md. Find out why it fails.`)

for (const { file } of red) {
  const { status } = spawnSync("vitest", ["run", "--config", "test/support/suite/stress.config.ts"], {
    stdio: "inherit",
    env: { ...process.env, STRESS_FILE: file, STRESS_TIMES: TIMES, STRESS_LOAD: "1" }
  })
  if (status !== 0) fail(`${file} also fails alone`)
}
const lines = red.map(({ file, error }) => `- \`${file}\`: ${error}\n`)
appendFileSync(LIST, lines.join(""))
console.log(`\n${red.length} of the files needed a retry. Commit these lines of test/unsteady.md:\n${lines.join("")}`)
