import { jsonPath } from "./jsonPath.ts"

const MAXIMUM_FIELDS = 50

/**
 * Paths of the keys that a body has and its parsed value lacks, so that callers notice typos. The depth is bounded,
 * because parsing strips unknown keys.
 */
export const ignoredFields = (raw: unknown, parsed: unknown): ReadonlyArray<string> => {
  const ignored: Array<string> = []
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
      else ignored.push(jsonPath(segments))
      segments.pop()
    }
  }

  compare(raw, parsed)
  return ignored
}
