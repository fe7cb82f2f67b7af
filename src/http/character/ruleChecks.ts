import * as Effect from "effect/Effect"
import { byRules, type RuleChecks } from "#pipeline/readiness/assess.ts"
import type { StoredCharacter } from "#src/db/character/Characters.ts"
import { inSlices } from "#src/db/postgres/inSlices.ts"

/** Number of versions to cache, at a few kilobytes each. */
const MOST = 1000
const known = new Map<string, RuleChecks>()

/**
 * The rules' findings on a character, cached per version. Versions never change, and checking the largest takes a tenth
 * of a second.
 */
export const ruleChecks = Effect.fnUntraced(function* (
  appId: string,
  { slug, version, profile }: Pick<StoredCharacter, "slug" | "version" | "profile">
) {
  const name = `${appId}\n${slug}\n${version}`
  const before = known.get(name)
  if (before !== undefined) return before
  const found = yield* inSlices(appId, () => byRules(slug, profile))
  if (known.size >= MOST) known.clear()
  known.set(name, found)
  return found
})
