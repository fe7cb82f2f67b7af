/** An error as fields of a log line. */
export interface DescribedError {
  readonly error: string
  readonly error_message?: string
  readonly error_code?: string
  readonly caused_by?: ReadonlyArray<string>
  readonly stack?: string
}

const MAX_FRAMES = 12
const MAX_CAUSES = 4
const MAX_MESSAGE = 500
/** Errors of the language whose messages name code and never data. */
const OF_CODE: ReadonlySet<string> = new Set(["TypeError", "ReferenceError", "RangeError", "TimeoutError"])
/** Tagged errors whose messages may repeat what somebody wrote. */
const REPEATS_DATA: ReadonlySet<string> = new Set(["SchemaError", "ParseError"])
/** SQLSTATE classes whose messages may repeat a value: 22 data exception, P0 raised by a function. */
const SQL_REPEATS_DATA = /^(?:22|P0)/

const codeOf = (error: Error): string | undefined =>
  "code" in error && (typeof error.code === "string" || typeof error.code === "number")
    ? String(error.code).slice(0, 64)
    : undefined

/** Whether the message of an error is ours, or names only code and addresses. Others may repeat a person's words. */
const mayBeShown = (error: Error): boolean => {
  if ("_tag" in error) return typeof error._tag === "string" && !REPEATS_DATA.has(error._tag)
  if (error.name === "PostgresError") return !SQL_REPEATS_DATA.test(codeOf(error) ?? "22")
  return OF_CODE.has(error.name) || "syscall" in error
}

const nameOf = (error: Error): string => ("_tag" in error && typeof error._tag === "string" ? error._tag : error.name)

const brief = (error: Error): string => {
  const code = codeOf(error)
  return [nameOf(error), ...(code === undefined ? [] : [`(${code})`]), ...(mayBeShown(error) ? [error.message] : [])]
    .join(" ")
    .slice(0, MAX_MESSAGE)
}

/** The frames of a stack, without its message. */
const framesOf = (error: Error): string | undefined => {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return frames.length === 0
    ? undefined
    : frames
        .slice(0, MAX_FRAMES)
        .map((frame) => frame.trim())
        .join("\n")
}

const causesOf = (error: Error): ReadonlyArray<string> => {
  const causes: Array<string> = []
  for (let { cause } = error; cause instanceof Error && causes.length < MAX_CAUSES; { cause } = cause)
    causes.push(brief(cause))
  return causes
}

/** An error without the words of a person or a model, and without values of the database. */
export const describeError = (thrown: unknown): DescribedError => {
  if (!(thrown instanceof Error)) return { error: typeof thrown }
  const code = codeOf(thrown)
  const stack = framesOf(thrown)
  const causes = causesOf(thrown)
  return {
    error: nameOf(thrown),
    ...(mayBeShown(thrown) && thrown.message !== "" && { error_message: thrown.message.slice(0, MAX_MESSAGE) }),
    ...(code !== undefined && { error_code: code }),
    ...(causes.length > 0 && { caused_by: causes }),
    ...(stack !== undefined && { stack })
  }
}
