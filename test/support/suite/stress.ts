import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"

const USAGE = "npm run test:stress -- FILE [--times 20] [--load 4]"
/** The processes that only use up the processor end by themselves after this time, whatever happens to this one. */
const LONGEST_MS = 30 * 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string", default: "20" }, load: { type: "string", default: "4" } }
})
const file = positionals[0]
if (file === undefined || positionals.length > 1 || !existsSync(file)) {
  console.error(`Name one test file: ${USAGE}`)
  process.exit(2)
}
for (const count of [values.times, values.load]) {
  if (/^[1-9]\d{0,2}$/.test(count)) continue
  console.error(`--times and --load are numbers from 1 to 999: ${USAGE}`)
  process.exit(2)
}

const busy = (): ChildProcess =>
  spawn(process.execPath, ["-e", `const end = Date.now() + ${LONGEST_MS}; while (Date.now() < end);`], {
    stdio: "ignore"
  })
const hogs = Array.from({ length: availableParallelism() }, busy)
const run = spawn("vitest", ["run", "--config", "test/support/suite/stress.config.ts"], {
  stdio: "inherit",
  env: { ...process.env, STRESS_FILE: file, STRESS_TIMES: values.times, STRESS_LOAD: values.load }
})
const end = (code: number) => {
  for (const hog of hogs) hog.kill("SIGKILL")
  process.exitCode = code
}
run.once("error", (error) => {
  console.error(error.message)
  end(1)
})
run.once("close", (code) => end(code ?? 1))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => run.kill(signal))
