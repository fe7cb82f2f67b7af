import type * as z from "zod"
import { nearest } from "#src/http/server/nearest.ts"
import { jsonPath } from "./jsonPath.ts"

const MAXIMUM_FIELDS = 50

/**
 * The keys that a body has and its parsed value lacks, each with the way to it. The depth is bounded, because parsing
 * strips unknown keys.
 */
const ignoredPaths = (raw: unknown, parsed: unknown): ReadonlyArray<ReadonlyArray<PropertyKey>> => {
  const ignored: Array<ReadonlyArray<PropertyKey>> = []
  const segments: Array<PropertyKey> = []

  const compare = (raw: unknown, parsed: unknown): void => {
    if (raw === parsed || typeof raw !== "object" || raw === null || typeof parsed !== "object" || parsed === null)
      return
    const kept = new Map(Object.entries(parsed))
    // Not the entries: for an object with very many fields they take several times as long as the keys.
    for (const key of Object.keys(raw)) {
      if (ignored.length === MAXIMUM_FIELDS) return
      segments.push(Array.isArray(raw) ? Number(key) : key)
      if (kept.has(key)) compare((raw as Readonly<Record<string, unknown>>)[key], kept.get(key))
      else ignored.push([...segments])
      segments.pop()
    }
  }

  compare(raw, parsed)
  return ignored
}

/** The paths of the ignored keys, so that callers notice typos. */
export const ignoredFields = (raw: unknown, parsed: unknown): ReadonlyArray<string> =>
  ignoredPaths(raw, parsed).map((path) => jsonPath(path))

interface Definition {
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly element?: z.ZodType
  readonly options?: ReadonlyArray<z.ZodType>
  readonly shape?: Readonly<Record<string, z.ZodType>>
}

/** The schemas that a value is held to: what is inside optional ones, and all branches of a union. */
const branchesOf = (schema: z.ZodType): ReadonlyArray<Definition> => {
  const { innerType, in: input, options, ...rest } = schema.def as unknown as Definition
  const inner = innerType ?? input
  if (inner !== undefined) return branchesOf(inner)
  return options === undefined ? [rest] : options.flatMap(branchesOf)
}

/** The fields that a schema knows of the object at a path. */
const knownAt = (schema: z.ZodType, path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const [segment, ...rest] = path
  return branchesOf(schema).flatMap(({ shape, element }) => {
    if (segment === undefined) return Object.keys(shape ?? {})
    const next = typeof segment === "number" ? element : shape?.[String(segment)]
    return next === undefined ? [] : knownAt(next, rest)
  })
}

/** The names that were probably meant by ignored keys, by the paths of these. */
export const meantFields = (schema: z.ZodType, raw: unknown, parsed: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ignoredPaths(raw, parsed).flatMap((path) => {
      const parent = path.slice(0, -1)
      const meant = nearest(String(path.at(-1)), knownAt(schema, parent))
      return meant === undefined ? [] : [[jsonPath(path), jsonPath([...parent, meant])]]
    })
  )
