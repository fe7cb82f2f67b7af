import type { CommandDef } from "citty"
import { nearest } from "#src/http/server/nearest.ts"
import { printable } from "./output.ts"

const MAX_SHOWN = 80

/** What somebody typed, as far as it fits in a line. */
const typed = (text: string) => printable(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text)

const meant = (word: string | undefined) => (word === undefined ? "" : `did you mean ${word}? `)

/** A misspelt flag or a name without quotes must not do something unintended. */
export const refuseUnknown = (
  args: { readonly _: ReadonlyArray<string> },
  known: ReadonlyArray<string>,
  positionals: number
) => {
  const flags = Object.keys(args).filter((name) => name !== "_" && !known.includes(name))
  const unknown = [...flags.map((name) => `--${name}`), ...args._.slice(positionals)]
  if (unknown.length === 0) return
  const near = flags.map((name) => nearest(name, known)).find((name) => name !== undefined)
  const hint = meant(near === undefined ? undefined : `--${near}`)
  process.stderr.write(`troupe: ${unknown.join(" ")}: unknown argument; ${hint}see --help\n`)
  process.exit(1)
}

/** The same for the words before the flags: `troupe bot lst`. Called before anything runs. */
export const refuseUnknownCommand = (command: CommandDef, words: ReadonlyArray<string>): void => {
  const [word, ...rest] = words
  const { subCommands } = command
  if (word === undefined || word.startsWith("-") || typeof subCommands !== "object" || subCommands instanceof Promise)
    return
  const next: unknown = Object.hasOwn(subCommands, word) ? subCommands[word] : undefined
  if (typeof next === "object" && next !== null && !(next instanceof Promise))
    return refuseUnknownCommand(next as CommandDef, rest)
  if (next !== undefined) return
  const near = nearest(word, Object.keys(subCommands))
  process.stderr.write(`troupe: ${typed(word)}: unknown command; ${meant(near)}see --help\n`)
  process.exit(1)
}
