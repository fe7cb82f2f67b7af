import { relative, resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"
import type { Reporter, SerializedError, TestModule, TestSpecification } from "vitest/node"
import { forgetRun, type RedFile, writeRun } from "./RunRecord.ts"

const ROOT = resolve(import.meta.dirname, "../../..")
const SLOWEST = 10
const MAX_ERROR_CHARACTERS = 200
const A_TEST_FILE = /[\w./-]+\.test\.ts/

const lineOf = ({ message }: SerializedError): string =>
  stripVTControlCharacters(message).split("\n", 1)[0]?.slice(0, MAX_ERROR_CHARACTERS) ?? ""
/** The file that an error outside of a test belongs to. That of a worker that died names what it was running. */
const fileOf = ({ VITEST_TEST_PATH, message }: SerializedError): string | undefined => {
  const path = typeof VITEST_TEST_PATH === "string" ? VITEST_TEST_PATH : A_TEST_FILE.exec(message)?.[0]
  return path === undefined ? undefined : relative(ROOT, path)
}
const firstErrorOf = (module: TestModule): string => {
  for (const test of module.children.allTests()) {
    const [error] = test.result().errors ?? []
    if (error !== undefined) return `${test.fullName}: ${lineOf(error)}`
  }
  for (const suite of [...module.children.allSuites(), module]) {
    const [error] = suite.errors()
    if (error !== undefined) return lineOf(error)
  }
  return "did not end"
}

/**
 * Ends a run with its slowest files, how long each project took, and which files did not pass. Leaves a record of
 * those for the second pass.
 */
export class RunSummary implements Reporter {
  readonly #planned = new Set<string>()
  readonly #projects = new Map<string, { readonly startedAt: number; endedAt: number }>()

  onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    forgetRun()
    for (const { moduleId } of specifications) this.#planned.add(relative(ROOT, moduleId))
  }

  onTestModuleStart({ project }: TestModule): void {
    const now = performance.now()
    if (!this.#projects.has(project.name)) this.#projects.set(project.name, { startedAt: now, endedAt: now })
  }

  onTestModuleEnd({ project }: TestModule): void {
    const times = this.#projects.get(project.name)
    if (times !== undefined) times.endedAt = performance.now()
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const red = new Map<string, string>()
    const passed = new Set<string>()
    for (const module of modules) {
      const file = relative(ROOT, module.moduleId)
      if (module.state() === "passed" || module.state() === "skipped") passed.add(file)
      else red.set(file, firstErrorOf(module))
    }
    for (const file of this.#planned) if (!passed.has(file) && !red.has(file)) red.set(file, "never ran")
    const stray: Array<string> = []
    // The death of a worker is the cause of the error that the pool reports.
    for (const reported of errors) {
      const error = fileOf(reported) === undefined && reported.cause !== undefined ? reported.cause : reported
      const file = fileOf(error)
      if (file === undefined) stray.push(lineOf(error))
      else red.set(file, lineOf(error))
    }
    const files: ReadonlyArray<RedFile> = [...red].map(([file, error]) => ({ file, error }))
    writeRun({ red: files, stray })

    const lines: Array<string> = []
    if (modules.length > SLOWEST) {
      const bySeconds = modules
        .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
        .toSorted((one, other) => other.seconds - one.seconds)
      lines.push("Slowest files:")
      for (const { file, seconds } of bySeconds.slice(0, SLOWEST)) lines.push(`${seconds.toFixed(1)} s  ${file}`)
      lines.push("")
    }
    for (const [name, { startedAt, endedAt }] of this.#projects)
      lines.push(`${name}: ${Math.round((endedAt - startedAt) / 1000)} s`)
    for (const { file, error } of files) lines.push(`FAIL ${file}: ${error}`)
    for (const error of stray) lines.push(`FAIL outside of a test: ${error}`)
    console.log(`\n${lines.join("\n")}\n`)
  }
}
