interface Poisoned {
  readonly file: string
  readonly name: string
  /** What the rule reads, as an expression on its arguments. */
  readonly text: string
  /** A text with this mark never returns. */
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

/**
 * Limits of 10 s that are shorter in an impatient process. The monitor's is in real time: on a busy machine, a process
 * that starts may need more than two seconds for one turn of its event loop.
 */
const LIMITS = [
  { file: "/src/db/crashes/monitor.ts", name: "MAX_STUCK_MS", impatient: "4_000" },
  { file: "/src/http/server/body/ParseWorkers.ts", name: "MAX_MS", impatient: "2_000" }
]

/** True in a process that preloads `poison.ts`. */
const ACTIVE = `process.env.NODE_OPTIONS?.includes("support/hostile/poison.ts")`
const IMPATIENT = `${ACTIVE} && process.env.POISON_PATIENT === undefined`

/**
 * A poisoned rule computes all the time. If `POISON_RESTS` is set, it computes for a fifth of the time, which is still
 * four times what the monitor takes for computing, and rests in between without returning.
 */
const REST = `if (process.env.POISON_RESTS !== undefined) {
    const from = process.threadCpuUsage()
    while (process.threadCpuUsage(from).user < 20_000) {}
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80)
  }`

const replaced = (source: string, from: string, to: string): string => {
  if (source.split(from).length !== 2) throw new Error(`not there, or not once: ${from}`)
  return source.replace(from, () => to)
}

const poison = (source: string, { name, text, mark, abortMark }: Poisoned): string =>
  `${replaced(source, `export const ${name} = `, `const healthy_${name} = `)}
export const ${name} = ${ACTIVE} ? (...args) => {
  ${mark === undefined ? "" : `while (${text}?.includes(${JSON.stringify(mark)})) { ${REST} }`}
  ${abortMark === undefined ? "" : `if (${text}?.includes(${JSON.stringify(abortMark)})) process.abort()`}
  return healthy_${name}(...args)
} : healthy_${name}`

/** The files that are changed. */
export const POISONED_FILES: ReadonlyArray<string> = [...POISONED, ...LIMITS].map(({ file }) => file)

/** The changed source of one of these files. `url` is its path or URL. */
export const poisonedSource = (url: string, source: string): string => {
  const found = POISONED.find(({ file }) => url.endsWith(file))
  if (found !== undefined) return poison(source, found)
  const limit = LIMITS.find(({ file }) => url.endsWith(file))
  return limit === undefined
    ? source
    : replaced(source, `${limit.name} = 10_000\n`, `${limit.name} = ${IMPATIENT} ? ${limit.impatient} : 10_000\n`)
}
