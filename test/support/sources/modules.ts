import { readdirSync, readFileSync } from "node:fs"
import { posix, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../..")

export interface Import {
  /** A path from the root for one of our modules, or the name of a package. */
  readonly target: string
  readonly isOurs: boolean
  /** Erased at runtime. */
  readonly isType: boolean
}

export interface Module {
  readonly path: string
  readonly text: string
  readonly imports: ReadonlyArray<Import>
}

const STATIC = /^[ \t]*(?:import|export)\s+(type\s+)?([\w$*{][^"';=()]*?)\bfrom\s*["']([^"']+)["']/gm
const BARE = /^[ \t]*import\s*["']([^"']+)["']/gm
const DYNAMIC = /\bimport\(\s*["'`]([^"'`]+)["'`]\s*(?:,[^)]*)?\)/g

const isTypeOnly = (keyword: string | undefined, names: string): boolean => {
  if (keyword !== undefined) return true
  const inBraces = /^\{([^}]*)\}$/
    .exec(names.trim())?.[1]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  return inBraces !== undefined && inBraces.length > 0 && inBraces.every((name) => name.startsWith("type "))
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const toImport = (from: string, specifier: string, isType: boolean): Import => {
  if (specifier.startsWith("#client/"))
    return { target: specifier.replace("#client/", "clients/typescript/src/"), isOurs: true, isType }
  if (specifier.startsWith("#")) return { target: specifier.slice(1), isOurs: true, isType }
  if (specifier.startsWith(".")) return { target: posix.join(posix.dirname(from), specifier), isOurs: true, isType }
  return { target: packageOf(specifier), isOurs: false, isType }
}

/** The imports and exports of a module, from its text. */
export const readModule = (path: string, text: string): Module => ({
  path,
  text,
  imports: [
    ...[...text.matchAll(STATIC)].map(([, keyword, names = "", specifier = ""]) =>
      toImport(path, specifier, isTypeOnly(keyword, names))
    ),
    ...[...text.matchAll(BARE), ...text.matchAll(DYNAMIC)].map(([, specifier = ""]) => toImport(path, specifier, false))
  ]
})

/** All TypeScript files under these folders of the repository. */
export const readModules = (folders: ReadonlyArray<string>): ReadonlyArray<Module> =>
  folders.flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => posix.join(folder, file.replaceAll("\\", "/")))
      .sort()
      .map((path) => readModule(path, readFileSync(resolve(ROOT, path), "utf8")))
  )
