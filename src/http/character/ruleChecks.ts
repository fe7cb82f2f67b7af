import { byRules, type RuleChecks } from "#pipeline/readiness/assess.ts"
import type { StoredCharacter } from "#src/db/character/Characters.ts"

/** Number of versions to cache, at a few kilobytes each. */
const MOST = 1000
const known = new Map<string, RuleChecks>()

/**
 * The rules' findings on a character, cached per version. Versions never change, and the largest block the event loop
 * for a tenth of a second.
 */
export const ruleChecks = (
  appId: string,
  { slug, version, profile }: Pick<StoredCharacter, "slug" | "version" | "profile">
): RuleChecks => {
  const name = `${appId}\n${slug}\n${version}`
  const before = known.get(name)
  if (before !== undefined) return before
  const found = byRules(slug, profile)
  if (known.size >= MOST) known.clear()
  known.set(name, found)
  return found
}
