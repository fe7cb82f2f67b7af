import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** A test file that did not pass in a run. */
export interface RedFile {
  /** Relative to the project's folder. */
  readonly file: string
  /** The first thing that went wrong, as one line. */
  readonly error: string
}

/** What a run of the tests leaves behind, for the second pass. */
export interface RunRecord {
  readonly red: ReadonlyArray<RedFile>
  /** Errors that belong to no file. */
  readonly stray: ReadonlyArray<string>
}

const FILE = resolve(import.meta.dirname, "../../../node_modules/.cache/test-run.json")

export const forgetRun = (): void => rmSync(FILE, { force: true })
export const writeRun = (record: RunRecord): void => {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, JSON.stringify(record))
}
/** Null if the last run did not end. */
export const readRun = (): RunRecord | null =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as RunRecord) : null
