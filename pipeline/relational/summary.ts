import { bounded } from "./bounded.ts"
import { isWaiting, type Memory, type OpenLoop } from "./Relationship.ts"

const MAX_CHARS = 800
const MAX_HIGHLIGHTS = 8

/** The most relevant memories: pinned first, then by importance, then newest first. */
export const highlightsOf = (memories: Iterable<Memory>): ReadonlyArray<Memory> =>
  [...memories]
    .filter(({ status }) => status === "active")
    .sort(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) ||
        b.importance - a.importance ||
        b.created_at.localeCompare(a.created_at) ||
        b.id.localeCompare(a.id)
    )
    .slice(0, MAX_HIGHLIGHTS)

const fitted = (parts: ReadonlyArray<string>): string =>
  parts.reduce((text, part) => (text.length + part.length + 1 <= MAX_CHARS ? `${text} ${part}`.trim() : text), "")

const openLoop = (text: string): string => `Still open: "${text}"`

/** A summary in the person's own words, if there is no model to write one. */
export const summaryByRules = (memories: Iterable<Memory>, loops: Iterable<OpenLoop>): string =>
  fitted([
    ...highlightsOf(memories).map(({ text }) => `"${text}"`),
    ...[...loops]
      .filter(isWaiting)
      .slice(-3)
      .map(({ text }) => openLoop(text))
  ])

/** A summary without these loops, where they are listed beside it. */
export const summaryWithout = (summary: string, loops: ReadonlyArray<Pick<OpenLoop, "text">>): string =>
  loops
    .reduce((text, loop) => text.replace(openLoop(loop.text), () => ""), summary)
    .trim()
    .replaceAll(/ {2,}/g, " ")

/** A model's summary, as it is stored. */
export const summaryOf = (told: string): string => bounded(told, MAX_CHARS)
