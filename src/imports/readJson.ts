import { isUtf8 } from "node:buffer"
import { countJsonValues } from "./countJsonValues.ts"
import { tooLarge, unreadable } from "./ImportRefused.ts"

export type Fields = Readonly<Record<string, unknown>>

/** Maximum number of values in one JSON text. The largest lorebooks in circulation have about ten thousand. */
export const MAX_VALUES = 200_000
/** Maximum depth of nested arrays and objects. */
const DEEPEST = 60

export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
export const textsOf = (value: unknown): ReadonlyArray<string> =>
  listOf(value).filter((item) => typeof item === "string")

/** Null, or a text, list or object without content. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const clean = (text: string): string => text.replaceAll("\u0000", "").toWellFormed()

/**
 * Removes what the database cannot store (U+0000, lone surrogates), and `__proto__`, which would set a prototype when
 * assigned.
 */
export const storable = (value: unknown, depth = 1): unknown => {
  if (typeof value === "string") return clean(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "object" || value === null) return value
  if (depth > DEEPEST) throw unreadable(`The JSON is nested more than ${DEEPEST} levels deep.`)
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "__proto__")
      .map(([key, item]) => [clean(key), storable(item, depth + 1)])
  )
}

/** Parses JSON from a file and removes what cannot be stored. */
export const readJson = (bytes: Uint8Array, what: string): unknown => {
  if (!isUtf8(bytes)) throw unreadable(`${what} is not UTF-8 text.`)
  if (countJsonValues(bytes) > MAX_VALUES) throw tooLarge(`${what} has more than ${MAX_VALUES} values.`)
  // A byte order mark is skipped.
  const text = new TextDecoder().decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unreadable(`${what} is not JSON.`)
  }
  return storable(value)
}
