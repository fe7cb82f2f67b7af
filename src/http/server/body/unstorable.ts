import { jsonPath } from "./jsonPath.ts"

/** Maximum depth of nested arrays and objects. The walk below does not recurse, but later code does. */
export const deepestNesting = 64

type JsonPosition = {
  readonly value: unknown
  readonly key: PropertyKey
  readonly parent: JsonPosition | null
  readonly depth: number
}

const pathTo = (position: JsonPosition): string => {
  const segments: Array<PropertyKey> = []
  for (let at = position; at.parent !== null; at = at.parent) segments.push(at.key)
  return jsonPath(segments.toReversed())
}

/** The first position in document order that `wanted` accepts, or null. */
const findPosition = (value: unknown, wanted: (position: JsonPosition) => boolean): string | null => {
  const open: Array<JsonPosition> = [{ value, key: "", parent: null, depth: 1 }]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    if (wanted(position)) return pathTo(position)
    if (typeof position.value !== "object" || position.value === null) continue
    const isArray = Array.isArray(position.value)
    for (const [key, child] of Object.entries(position.value).toReversed()) {
      open.push({ value: child, key: isArray ? Number(key) : key, parent: position, depth: position.depth + 1 })
    }
  }
  return null
}

const isUnstorable = (value: unknown): boolean =>
  typeof value === "string" && (value.includes("\u0000") || !value.isWellFormed())

/** Path of the first key or string that PostgreSQL cannot store: U+0000 or a lone surrogate. */
export const findUnstorable = (value: unknown): string | null =>
  findPosition(value, ({ key, value }) => isUnstorable(key) || isUnstorable(value))

/** Path to the first array or object nested deeper than `deepestNesting`. */
export const findTooDeep = (value: unknown): string | null =>
  findPosition(value, ({ value, depth }) => depth > deepestNesting && typeof value === "object" && value !== null)

/** A number in JSON that no double represents: too large, or a whole number that would lose precision. */
const isUnsafe = (source: string, value: number): boolean =>
  !Number.isFinite(value) || (/^-?\d+$/.test(source) && BigInt(source) !== BigInt(value))

const unkept = Symbol("a number that is not kept")

/** Path of the first number in a JSON text that would lose precision, or null. */
export const findUnsafeNumber = (rawJson: string): string | null => {
  const marked: unknown = JSON.parse(
    rawJson,
    (_key, value: unknown, { source = "" }: { readonly source?: string } = {}) =>
      typeof value === "number" && isUnsafe(source, value) ? unkept : value
  )
  return findPosition(marked, ({ value }) => value === unkept)
}

/**
 * Whether a JSON text has to be checked with `findUnsafeNumber`. Up to 15 digits and two-digit exponents are always
 * exact.
 */
export const maybeUnsafeNumber = (rawJson: string): boolean => /\d{16}|\d[eE]\+?\d{3}/.test(rawJson)

/**
 * Whether a JSON text has to be checked with `findUnstorable`. Only an escape can produce such characters: raw control
 * characters are not valid JSON, and UTF-8 decoding leaves no lone surrogates.
 */
export const maybeUnstorable = (rawJson: string): boolean => /\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/.test(rawJson)
