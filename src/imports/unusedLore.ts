import { hashOf } from "./Bundle.ts"
import type { Fields } from "./readJson.ts"

/** Key for the unused fields of an entry, valid as long as its content is unchanged. */
export const loreKey = (content: unknown): string => hashOf(content).slice(0, 16)

const KNOWN = new Set([
  "keys",
  "secondary_keys",
  "selective",
  "content",
  "constant",
  "enabled",
  "priority",
  "case_sensitive",
  "extensions"
])
const KNOWN_EXTENSIONS = new Set([
  "probability",
  "useProbability",
  "sticky",
  "cooldown",
  "delay",
  "selectiveLogic",
  "group",
  "group_weight",
  "match_whole_words",
  "case_sensitive"
])
const without = (fields: Fields, known: ReadonlySet<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => !known.has(key) && value !== undefined && value !== null)
  )

/** The unused fields of an entry. Undefined if there are none. */
export const unusedOf = (entry: Fields, extensions: Fields, decorators: ReadonlyArray<string>): Fields | undefined => {
  const unused = { ...without(entry, KNOWN), ...(decorators.length > 0 && { decorators }) }
  const unusedExtensions = without(extensions, KNOWN_EXTENSIONS)
  if (Object.keys(unused).length + Object.keys(unusedExtensions).length === 0) return undefined
  return { ...unused, ...(Object.keys(unusedExtensions).length > 0 && { extensions: unusedExtensions }) }
}
