import { type ArrowFunctionExpression, parse } from "acorn"
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { resolve } from "node:path"
import { codeFiles, ROOT } from "./readPatterns.ts"

/** The argument for each parameter of a function that reads text. Parameters with defaults are left out. */
const GIVEN: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  "string | null": (text) => text,
  unknown: (text) => text,
  number: () => 500,
  boolean: () => true,
  "ReadonlyArray<string>": (text) => [text, "hello"],
  "Iterable<string>": (text) => [text, "hello"]
}
const IS_TEXT = /string|unknown/
/** Functions that register what they are given, for the whole process. */
const REGISTERS = /^define/

export interface TextFunction {
  readonly file: string
  readonly name: string
  readonly given: (text: string) => ReadonlyArray<unknown>
}

/** The types of a function's parameters in the source: where the stripped source has spaces. */
const typesOf = (text: string, bare: string, { params }: ArrowFunctionExpression): ReadonlyArray<string> =>
  params.flatMap((parameter, index) => {
    if (parameter.type !== "Identifier") return parameter.type === "AssignmentPattern" ? [] : ["other"]
    const written = text.slice(parameter.end, params[index + 1]?.start ?? bare.indexOf(")", parameter.end)).trim()
    if (written.startsWith("?")) return []
    return [written.startsWith(":") ? written.slice(1).replace(/,$/, "").trim() : "other"]
  })

/**
 * All exported functions of these folders whose parameters are only texts and numbers. Functions with object parameters
 * are not included, nor are functions that register something.
 */
export const textFunctions = (folders: ReadonlyArray<string>): ReadonlyArray<TextFunction> =>
  codeFiles(folders).flatMap((file) => {
    const text = readFileSync(resolve(ROOT, file), "utf8")
    const bare = stripTypeScriptTypes(text)
    return parse(bare, { ecmaVersion: "latest", sourceType: "module" }).body.flatMap((statement) => {
      if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration")
        return []
      return statement.declaration.declarations.flatMap(({ id, init }): ReadonlyArray<TextFunction> => {
        if (id.type !== "Identifier" || init?.type !== "ArrowFunctionExpression") return []
        if (REGISTERS.test(id.name)) return []
        const types = typesOf(text, bare, init)
        const makers = types.map((type) => GIVEN[type])
        if (!types.some((type) => IS_TEXT.test(type)) || makers.includes(undefined)) return []
        return [{ file, name: id.name, given: (said) => makers.map((make) => make?.(said)) }]
      })
    })
  })
