import { type CallExpression, type NewExpression, parse } from "acorn"
import { simple } from "acorn-walk"
import { readFileSync, readdirSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { posix, resolve } from "node:path"

export const ROOT = resolve(import.meta.dirname, "../../..")

/** The folders with production code. */
export const FOLDERS: ReadonlyArray<string> = ["src", "pipeline", "channels", "bin"]

export interface Pattern {
  readonly source: string
  readonly flags: string
  /** file:line, with the path from the root. */
  readonly at: string
}

export interface Written {
  readonly literals: ReadonlyArray<Pattern>
  /** file:line:column of each `new RegExp(...)` and `RegExp(...)`, in the format of a stack trace. */
  readonly calls: ReadonlyArray<string>
}

/** All code files under these folders, as paths from the root. */
export const codeFiles = (folders: ReadonlyArray<string> = FOLDERS): ReadonlyArray<string> =>
  folders.flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|mjs)$/.test(file))
      .map((file) => posix.join(folder, file.replaceAll("\\", "/")))
      .sort()
  )

/** The regex literals of a file, and the positions where it builds patterns from strings. */
export const readPatterns = (file: string): Written => {
  const text = readFileSync(resolve(ROOT, file), "utf8")
  // Types are replaced by spaces, so positions do not change.
  const program = parse(stripTypeScriptTypes(text), { ecmaVersion: "latest", sourceType: "module" })
  const place = (offset: number): { readonly line: number; readonly column: number } => {
    const lines = text.slice(0, offset).split("\n")
    return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 }
  }
  const literals: Array<Pattern> = []
  const calls: Array<string> = []
  const call = ({ callee, start }: CallExpression | NewExpression): void => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp") return
    const { line, column } = place(start)
    calls.push(`${file}:${line}:${column}`)
  }
  simple(program, {
    Literal: ({ regex, start }) => {
      if (regex) literals.push({ source: regex.pattern, flags: regex.flags, at: `${file}:${place(start).line}` })
    },
    NewExpression: call,
    CallExpression: call
  })
  return { literals, calls }
}
