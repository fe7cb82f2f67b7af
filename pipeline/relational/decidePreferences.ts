import { bounded } from "./bounded.ts"
import type { Extraction } from "./Extraction.ts"
import { instructs } from "./instructs.ts"
import { preferencesIn } from "./rules/preferences.ts"
import type { Preferences } from "./Relationship.ts"

const HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/
const MOST_TOPICS = 20
const MOST_TOPIC_CHARS = 60

type Read = Extraction["preferences"][number]

/** The field after this, or undefined where the value says nothing that can be kept. */
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
      if (text === "" || text.length > MOST_TOPIC_CHARS || instructs(text)) return undefined
      const topic = text.toLowerCase()
      const other = field === "topics_avoid" ? "topics_welcome" : "topics_avoid"
      return {
        [field]: [...new Set([...before[field], topic])].slice(-MOST_TOPICS),
        [other]: before[other].filter((known) => known !== topic)
      }
    }
  }
}

/** What somebody has said outranks what was inferred. */
const heed = (before: Preferences, read: Read): Preferences => {
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
 * How the person wants to be written to unasked, after this message. Rules read it first: who says "stop texting me" is
 * taken at their word whatever a model makes of it.
 */
export const decidePreferences = (
  before: Preferences,
  message: string | null,
  read: ReadonlyArray<Read>
): Preferences | undefined => {
  const byRules = message === null ? [] : preferencesIn(message)
  // A model may take the person out, and never bring them back.
  // And where the message instructs, it may be cut so that what it names as a topic no longer looks like it.
  const ordered = message !== null && instructs(message)
  const byModel = read.filter(
    ({ field, value }) =>
      !(field === "opted_out" && value.trim() !== "true") &&
      !(ordered && field.startsWith("topics_")) &&
      !byRules.some((rule) => rule.field === field)
  )
  const after = [...byModel, ...byRules].reduce(heed, before)
  return after === before ? undefined : after
}
