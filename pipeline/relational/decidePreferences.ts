import { bounded } from "./bounded.ts"
import type { Extraction } from "./Extraction.ts"
import { isInstruction } from "./isInstruction.ts"
import { preferencesIn } from "./rules/preferences.ts"
import type { Preferences } from "./Relationship.ts"

const HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/
const MAX_TOPICS = 20
const MAX_TOPIC_CHARS = 60

type Read = Extraction["preferences"][number]

/** The changed field. Undefined if the value cannot be stored. */
const changed = (before: Preferences, { field, value }: Read): Partial<Preferences> | undefined => {
  const text = bounded(value, value.length)
  switch (field) {
    case "opted_out":
      return text === "true" || text === "false" ? { opted_out: text === "true" } : undefined
    case "frequency":
      return text === "less" || text === "normal" || text === "more" ? { frequency: text } : undefined
    case "preferred_hours": {
      const [from = "", to = ""] = text.split("-")
      return HOURS.test(text) && from !== to ? { preferred_hours: [{ from, to }] } : undefined
    }
    default: {
      if (text === "" || text.length > MAX_TOPIC_CHARS || isInstruction(text)) return undefined
      const topic = text.toLowerCase()
      const other = field === "topics_avoid" ? "topics_welcome" : "topics_avoid"
      return {
        [field]: [...new Set([...before[field], topic])].slice(-MAX_TOPICS),
        [other]: before[other].filter((known) => known !== topic)
      }
    }
  }
}

/** Explicit statements override inferred ones. */
const applyPreference = (before: Preferences, read: Read): Preferences => {
  const source = before.field_sources[read.field]
  const change = !read.explicit && source !== undefined && source !== "inferred" ? undefined : changed(before, read)
  return change === undefined
    ? before
    : {
        ...before,
        ...change,
        field_sources: { ...before.field_sources, [read.field]: read.explicit ? "explicit" : "inferred" }
      }
}

/**
 * The person's preferences for unprompted messages after this message. Rules are applied first: "stop texting me" takes
 * effect regardless of what a model makes of it.
 */
export const decidePreferences = (
  before: Preferences,
  message: string | null,
  read: ReadonlyArray<Read>
): Preferences | undefined => {
  const byRules = message === null ? [] : preferencesIn(message)
  // A model may opt the person out, but never back in. If the message contains instructions, topics from the model are
  // ignored: an excerpt may no longer look like an instruction.
  const ordered = message !== null && isInstruction(message)
  const byModel = read.filter(
    ({ field, value }) =>
      !(field === "opted_out" && value.trim() !== "true") &&
      !(ordered && field.startsWith("topics_")) &&
      !byRules.some((rule) => rule.field === field)
  )
  const after = [...byModel, ...byRules].reduce(applyPreference, before)
  return after === before ? undefined : after
}
