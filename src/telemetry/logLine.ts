import * as Cause from "effect/Cause"
import type * as Logger from "effect/Logger"
import * as References from "effect/References"
import { describeError } from "./describeError.ts"

/** One event as flat fields, in the order in which they are written. */
export type LogLine = Readonly<Record<string, unknown>>

const MAX_TEXT = 2_000
/** Fields that no detail replaces. */
const OWN: ReadonlySet<string> = new Set(["time", "level", "event", "message", "trace_id", "span_id"])

/** The stable name of an event: its constant message up to a colon, in snake case. */
export const eventOf = (message: string): string =>
  (message.split(":", 1)[0] ?? "")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "")

const shortened = (value: unknown): unknown =>
  typeof value === "string" && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Error)

/** What one argument of a log call adds. */
const fieldsOf = (argument: unknown): LogLine => {
  if (Cause.isCause(argument)) return argument.reasons.length === 0 ? {} : { ...describeError(Cause.squash(argument)) }
  if (argument instanceof Error) return { ...describeError(argument) }
  if (!isPlain(argument)) return argument === undefined ? {} : { detail: shortened(argument) }
  return Object.fromEntries(
    Object.entries(argument).flatMap(([key, value]) =>
      value instanceof Error
        ? Object.entries(describeError(value))
        : [[OWN.has(key) ? `detail_${key}` : key, shortened(value)]]
    )
  )
}

/** One event as a line. The first argument of a log call is its constant message. */
export const logLine = ({ message, logLevel, cause, fiber, date }: Logger.Options<unknown>): LogLine => {
  const [first, ...details] = Array.isArray(message) ? message : [message]
  const text = typeof first === "string" ? first : "unnamed event"
  const rest = typeof first === "string" ? details : [first, ...details]
  const span = fiber.cache.span
  return {
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    event: eventOf(text),
    message: text,
    ...fieldsOf(fiber.getRef(References.CurrentLogAnnotations)),
    ...(span !== undefined && { trace_id: span.traceId, span_id: span.spanId }),
    ...Object.assign({}, ...rest.map(fieldsOf)),
    ...fieldsOf(cause)
  }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"))

/** For people: the time, the level, the message, and what belongs to it. */
export const prettyLine = ({ time, level, message, stack, ...rest }: LogLine): string => {
  const details = Object.entries(rest).flatMap(([key, value]) => (key === "event" ? [] : [`${key}=${asText(value)}`]))
  const head = [String(time).slice(11, 23), String(level).toUpperCase().padEnd(5), String(message), ...details].join(
    " "
  )
  return stack === undefined ? head : `${head}\n  ${String(stack).replaceAll("\n", "\n  ")}`
}
