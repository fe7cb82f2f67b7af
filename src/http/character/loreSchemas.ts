import * as z from "zod"
import { lorePattern, loreCost, MAX_LORE_COST } from "#pipeline/patterns.ts"
import { expectedVersion, unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { isRe2, NOT_RE2 } from "#src/http/server/schemas/re2.ts"
import { text } from "#src/http/server/schemas/text.ts"

const keys = z.array(text(1, 100)).max(20)

export const LoreEntry = z.object({
  id: z
    .string()
    .regex(/^lor_[0-9A-HJKMNP-TV-Z]{26}$/)
    .optional()
    .meta({ description: "Created if absent. It does not change afterwards" }),
  keys: keys.optional().meta({ description: "Words that activate the entry. /.../ is a regular expression" }),
  secondary_keys: keys.optional(),
  logic: z
    .enum(["and_any", "and_all", "not_any", "not_all"])
    .optional()
    .meta({ description: "How the secondary keys combine. Default and_any" }),
  content: text(1, 2000),
  constant: z.boolean().optional().meta({ description: "Always in the prompt, regardless of the keys. Default false" }),
  priority: wholeBetween(0, 100).optional(),
  probability: unit().optional().meta({ description: "Default 1" }),
  sticky_turns: wholeBetween(0, 50).optional(),
  cooldown_turns: wholeBetween(0, 200).optional(),
  delay_turns: wholeBetween(0, 200).optional(),
  min_trust: unit().nullable().optional(),
  group: text(0, 60).optional().meta({
    description:
      "Only one entry of a group is used, chosen at random by group_weight. Separate several groups with commas"
  }),
  group_weight: wholeBetween(1, 10_000).optional().meta({ description: "Default 100" }),
  case_sensitive: z.boolean().optional().meta({ description: "Default false" }),
  whole_words: z.boolean().optional().meta({ description: "Default true" }),
  enabled: z.boolean().optional().meta({ description: "Default true" })
})
export type LoreEntry = z.output<typeof LoreEntry>

const KEYS = ["keys", "secondary_keys"] as const

/** The keys with invalid patterns. Called only if the patterns are within the total limit, because each is compiled. */
const checkPatterns = (entry: LoreEntry, path: ReadonlyArray<PropertyKey>, context: z.RefinementCtx) => {
  for (const name of KEYS) {
    for (const [index, key] of (entry[name] ?? []).entries()) {
      const pattern = lorePattern(key)?.pattern
      if (pattern !== undefined && !isRe2(pattern))
        context.addIssue({ code: "custom", path: [...path, name, index], message: NOT_RE2 })
    }
  }
}

export const TOO_MANY_PATTERNS = "Too many or too large patterns among the keys. They are matched against every message"
export const hasTooManyPatterns = (entries: ReadonlyArray<LoreEntry>): boolean => loreCost(entries) > MAX_LORE_COST

/** A lore: entry ids are unique, and the total cost of its patterns is limited. */
export const loreEntries = () =>
  z
    .array(LoreEntry)
    .max(300)
    .superRefine((entries, context) => {
      if (hasTooManyPatterns(entries)) return context.addIssue({ code: "custom", message: TOO_MANY_PATTERNS })
      for (const [index, entry] of entries.entries()) checkPatterns(entry, [index], context)
      const seen = new Set<string>()
      for (const [index, { id }] of entries.entries()) {
        if (id !== undefined && seen.has(id))
          context.addIssue({ code: "custom", path: [index, "id"], message: "Must be unique among the entries" })
        if (id !== undefined) seen.add(id)
      }
    })

export const LorePut = z.object({ entries: loreEntries(), expected_version: expectedVersion() })
const fields = LoreEntry.omit({ id: true })
export const LoreEntryCreate = fields.superRefine((entry, context) => checkPatterns(entry, [], context))
export const LoreEntryPut = fields
  .extend({ expected_version: expectedVersion() })
  .superRefine((entry, context) => checkPatterns(entry, [], context))

const version = z.int().describe("Version of the character. Each change of its lore creates one")
export const LoreEntryData = LoreEntry.extend({ id: z.string(), character_slug: z.string(), version })
export const LoreData = z.object({ entries: z.array(LoreEntry.extend({ id: z.string() })), version })
