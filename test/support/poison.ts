import { registerHooks } from "node:module"

/**
 * Preloaded into a process under test (`NODE_OPTIONS=--import`). The rules named below never return from a text with
 * their mark, as if it had defeated them, or they abort the process. The product has no hook for this: the files are
 * changed as they are loaded. The monitor, and the threads that read bodies, wait for 2 s instead of 10, unless
 * `POISON_PATIENT` is set.
 */
interface Poisoned {
  readonly file: string
  readonly name: string
  /** What the rule reads, as an expression on its arguments. */
  readonly text: string
  readonly mark?: string
  /** A text with this mark aborts the process at once. */
  readonly abortMark?: string
}

export const TURN_MARK = "poisoned turn"
export const READING_MARK = "poisoned reading"
export const ABORT_MARK = "aborted reading"
export const IMPORT_MARK = "poisoned import"
export const DELIVERY_MARK = "aborted delivery"
export const UPDATE_MARK = "aborted update"
export const CHECK_MARK = "aborted check"

const POISONED: ReadonlyArray<Poisoned> = [
  { file: "/pipeline/safety/judge.ts", name: "screen", text: "args[0].text", mark: TURN_MARK },
  {
    file: "/pipeline/relational/decide.ts",
    name: "decide",
    text: "args[1].message?.text",
    mark: READING_MARK,
    abortMark: ABORT_MARK
  },
  { file: "/src/imports/traits.ts", name: "withoutPersonalityBlock", text: "args[0]", mark: IMPORT_MARK },
  { file: "/channels/webhook/sign.ts", name: "signatureHeaders", text: "args[0].body", abortMark: DELIVERY_MARK },
  {
    file: "/channels/telegram/readMessage.ts",
    name: "readMessages",
    text: "args[0][0]?.text",
    abortMark: UPDATE_MARK
  },
  {
    file: "/src/jobs/telegram/manager/managerUpdate.ts",
    name: "readManagerUpdate",
    text: "args[0].message?.text",
    abortMark: UPDATE_MARK
  },
  {
    file: "/pipeline/proactive/decide.ts",
    name: "decide",
    text: "args[0].scheduled[0]?.topic",
    abortMark: CHECK_MARK
  }
]

/** Limits of 10 s that become 2 s here. */
const LIMITS =
  process.env["POISON_PATIENT"] === undefined
    ? [
        { file: "/src/db/crashes/monitor.ts", name: "MAX_STUCK_MS" },
        { file: "/src/http/server/body/ParseWorkers.ts", name: "MAX_MS" }
      ]
    : []

const replaced = (source: string, from: string, to: string): string => {
  if (source.split(from).length !== 2) throw new Error(`not there, or not once: ${from}`)
  return source.replace(from, () => to)
}

const poison = (source: string, { name, text, mark, abortMark }: Poisoned): string =>
  `${replaced(source, `export const ${name} = `, `const healthy_${name} = `)}
export const ${name} = (...args) => {
  ${mark === undefined ? "" : `while (${text}?.includes(${JSON.stringify(mark)})) {}`}
  ${abortMark === undefined ? "" : `if (${text}?.includes(${JSON.stringify(abortMark)})) process.abort()`}
  return healthy_${name}(...args)
}`

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    const found = POISONED.find(({ file }) => url.endsWith(file))
    const limit = LIMITS.find(({ file }) => url.endsWith(file))
    if (found === undefined && limit === undefined) return loaded
    const source = String(loaded.source)
    if (found !== undefined) return { ...loaded, source: poison(source, found) }
    return limit === undefined
      ? loaded
      : { ...loaded, source: replaced(source, `${limit.name} = 10_000\n`, `${limit.name} = 2_000\n`) }
  }
})
