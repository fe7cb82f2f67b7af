import { jsonPath } from "./jsonPath.ts"

/** Maximum depth of nested arrays and objects. The walk below does not recurse, but later code does. */
export const deepestNesting = 64

type Place = {
  readonly value: unknown
  readonly key: PropertyKey
  readonly parent: Place | null
  readonly depth: number
}

const pathTo = (place: Place): string => {
  const segments: Array<PropertyKey> = []
  for (let at = place; at.parent !== null; at = at.parent) segments.push(at.key)
  return jsonPath(segments.toReversed())
}

/** The first position in document order that `wanted` accepts, or null. */
const findPlace = (value: unknown, wanted: (place: Place) => boolean): string | null => {
  const open: Array<Place> = [{ value, key: "", parent: null, depth: 1 }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (wanted(place)) return pathTo(place)
    if (typeof place.value !== "object" || place.value === null) continue
    const isArray = Array.isArray(place.value)
    for (const [key, child] of Object.entries(place.value).toReversed()) {
      open.push({ value: child, key: isArray ? Number(key) : key, parent: place, depth: place.depth + 1 })
    }
  }
  return null
}

const isUnstorable = (value: unknown): boolean =>
  typeof value === "string" && (value.includes("\u0000") || !value.isWellFormed())

/** Path of the first key or string that PostgreSQL cannot store: U+0000 or a lone surrogate. */
export const findUnstorable = (value: unknown): string | null =>
  findPlace(value, ({ key, value }) => isUnstorable(key) || isUnstorable(value))

/** Path to the first array or object nested deeper than `deepestNesting`. */
export const findTooDeep = (value: unknown): string | null =>
  findPlace(value, ({ value, depth }) => depth > deepestNesting && typeof value === "object" && value !== null)

/** A number in JSON that no double represents: too large, or a whole number that would lose precision. */
const isUnkept = (source: string, value: number): boolean =>
  !Number.isFinite(value) || (/^-?\d+$/.test(source) && BigInt(source) !== BigInt(value))

const unkept = Symbol("a number that is not kept")

/** Path of the first number in a JSON text that would lose precision, or null. */
export const findUnkeptNumber = (rawJson: string): string | null => {
  const marked: unknown = JSON.parse(
    rawJson,
    (_key, value: unknown, { source = "" }: { readonly source?: string } = {}) =>
      typeof value === "number" && isUnkept(source, value) ? unkept : value
  )
  return findPlace(marked, ({ value }) => value === unkept)
}

/**
 * Whether a JSON text has to be checked with `findUnkeptNumber`. Up to 15 digits and two-digit exponents are always
 * exact.
 */
export const maybeUnkeptNumber = (rawJson: string): boolean => /\d{16}|\d[eE]\+?\d{3}/.test(rawJson)

/**
 * Whether a JSON text has to be checked with `findUnstorable`. Only an escape can produce such characters: raw control
 * characters are not valid JSON, and UTF-8 decoding leaves no lone surrogates.
 */
export const maybeUnstorable = (rawJson: string): boolean => /\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})/.test(rawJson)
