import type { Character, LoreEntry } from "../domain/Character.ts"
import { terms } from "../retrieval/terms.ts"
import { type Check, check, type Finding } from "./Readiness.ts"

const MOST_TOKENS = 800
const CHARS_PER_TOKEN = 4

const overBudget = (entries: ReadonlyArray<LoreEntry>): Finding | null => {
  const tokens = Math.ceil(entries.filter(({ constant, enabled }) => constant && enabled).reduce((sum, { content }) => sum + content.length, 0) / CHARS_PER_TOKEN)
  return tokens <= MOST_TOKENS ? null : {
    path: "world_context.entries",
    message: `The constant entries come to about ${tokens} tokens, and there is room for ${MOST_TOKENS}: some never reach a reply.`,
    fix: "Shorten them, or give those that are not always needed keys instead of constant."
  }
}

const wording = (key: string): string => terms(key).join(" ")

/** Why nothing that is said can call an entry up; null where something can. */
const unreachable = ({ keys, secondary_keys, logic, constant, probability }: LoreEntry): string | null => {
  if (probability === 0) return "its probability is 0"
  if (constant || keys.length === 0) return null
  const words = keys.map(wording).filter((key) => key !== "")
  if (words.length === 0) return "none of its keys has a word in it"
  const secondary = secondary_keys.map(wording)
  if (secondary.length === 0) return null
  const alwaysThere = (key: string) => key !== "" && words.every((word) => ` ${word} `.includes(` ${key} `))
  switch (logic) {
    case "and_any": return secondary.every((key) => key === "") ? "none of its secondary keys has a word in it" : null
    case "and_all": return secondary.some((key) => key === "") ? "one of its secondary keys has no word in it" : null
    case "not_any": return secondary.some(alwaysThere) ? "a secondary key forbids each of its keys" : null
    case "not_all": return secondary.every(alwaysThere) ? "its secondary keys forbid each of its keys" : null
  }
}

const firstUnreachable = (entries: ReadonlyArray<LoreEntry>): Finding | null => {
  for (const [i, entry] of entries.entries()) {
    const why = entry.enabled ? unreachable(entry) : null
    if (why !== null) return { path: `world_context.entries[${i}]`, message: `Nothing can call this entry up: ${why}.`, fix: "Give it a key that people say, or disable it." }
  }
  return null
}

/** What of its world can reach a reply. */
export const loreChecks = ({ world_context: { entries } }: Character): ReadonlyArray<Check> => [
  check("lore_budget", overBudget(entries), "The constant entries have room."),
  check("lore_unreachable_keys", firstUnreachable(entries), "Every entry can be called up.")
]
