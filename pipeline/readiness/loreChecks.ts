import type { Character, LoreEntry } from "../domain/Character.ts"
import { dimensionsOf } from "../relational/dimensions.ts"
import { isPattern, keyOf, scanned } from "../retrieval/loreKeys.ts"
import { type Check, check, type Finding } from "./Readiness.ts"

const MAX_TOKENS = 800
const CHARS_PER_TOKEN = 4

const overBudget = (entries: ReadonlyArray<LoreEntry>): Finding | null => {
  const tokens = Math.ceil(
    entries
      .filter(({ constant, enabled }) => constant && enabled)
      .reduce((sum, { content }) => sum + content.length, 0) / CHARS_PER_TOKEN
  )
  return tokens <= MAX_TOKENS
    ? null
    : {
        path: "world_context.entries",
        message:
          `The constant entries have about ${tokens} tokens, but only ${MAX_TOKENS} fit. Some of them never ` +
          "reach a reply.",
        fix: "Shorten them, or replace constant by keys for those that are not always needed."
      }
}

/**
 * How many characters of keys are compared with each other for one character. Ordinary keys take a tenth. At worst,
 * about ten thousand take a millisecond. When they are used up, the other entries count as reachable.
 */
const MAX_COMPARED_CHARS = 150_000
/** What a comparison costs besides its characters. */
const OVERHEAD_CHARS = 20
/** How many more characters may be compared. */
interface Comparisons {
  left: number
}

/** Whether any text that contains `other` also contains `key`. Unknown for patterns. */
const standsIn = (entry: LoreEntry, key: string, other: string, comparisons: Comparisons): boolean => {
  comparisons.left -= key.length + other.length + OVERHEAD_CHARS
  return comparisons.left >= 0 && !isPattern(key) && !isPattern(other) && keyOf(key, entry)(scanned(other))
}

/** Why no message can trigger an entry. Null: one can. */
const unreachable = (entry: LoreEntry, isTrustMeasured: boolean, comparisons: Comparisons): string | null => {
  const { keys, secondary_keys, logic, constant, probability, min_trust } = entry
  if (probability === 0) return "its probability is 0"
  if ((min_trust ?? 0) > 0 && !isTrustMeasured)
    return "it requires trust, which the relationship posture does not measure"
  if (constant || keys.length === 0 || secondary_keys.length === 0) return null
  const alwaysThere = (key: string) => keys.every((other) => standsIn(entry, key, other, comparisons))
  if (logic === "not_any") return secondary_keys.some(alwaysThere) ? "a secondary key excludes all of its keys" : null
  return logic === "not_all" && secondary_keys.every(alwaysThere) ? "its secondary keys exclude all of its keys" : null
}

const firstUnreachable = ({ world_context: { entries }, relationship_posture }: Character): Finding | null => {
  const isTrustMeasured = dimensionsOf(relationship_posture).some(({ key }) => key === "trust")
  const comparisons = { left: MAX_COMPARED_CHARS }
  for (const [i, entry] of entries.entries()) {
    const why = entry.enabled ? unreachable(entry, isTrustMeasured, comparisons) : null
    if (why !== null)
      return {
        path: `world_context.entries[${i}]`,
        message: `This entry can never be activated: ${why}.`,
        fix: "Change that, or disable the entry."
      }
  }
  return null
}

/** Which parts of its world can reach a reply. */
export const loreChecks = (character: Character): ReadonlyArray<Check> => [
  check("lore_budget", overBudget(character.world_context.entries), "The constant entries fit."),
  check("lore_unreachable_keys", firstUnreachable(character), "Every entry can be activated.")
]
