import type * as Chrono from "chrono-node"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
const LANGUAGES = ["en", "de", "es", "fr", "pt", "it", "nl"] as const
// Loaded when the first text is read, to keep startup fast.
const parserOf = (language: (typeof LANGUAGES)[number]) => (require("chrono-node") as typeof Chrono)[language].casual
const READ_CHARS = 400
const HOUR_MINUTES = 60

/** The UTC offset of a zone at a moment, in minutes. */
const offsetMinutes = (zone: string | null, at: Date): number => {
  try {
    const name =
      new Intl.DateTimeFormat("en", { timeZone: zone ?? "UTC", timeZoneName: "longOffset" })
        .formatToParts(at)
        .find(({ type }) => type === "timeZoneName")?.value ?? ""
    const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
    return (Number(hours) * HOUR_MINUTES + Number(minutes)) * (sign === "-" ? -1 : 1)
  } catch {
    return 0
  }
}

/**
 * The first day that a text names, as `YYYY-MM-DD` in its author's time zone. A bare weekday or date means the next
 * one. Null if it names none.
 */
export const dayIn = (
  text: string,
  {
    at,
    timezone,
    languages
  }: { readonly at: Date; readonly timezone: string | null; readonly languages: ReadonlyArray<string> }
): string | null => {
  const reference = { instant: at, timezone: offsetMinutes(timezone, at) }
  const spoken = [...new Set([...languages.map((language) => language.slice(0, 2).toLowerCase()), "en"])]
  for (const language of spoken) {
    const known = LANGUAGES.find((name) => name === language)
    const start =
      known === undefined
        ? undefined
        : parserOf(known)
            .parse(text.slice(0, READ_CHARS), reference, { forwardDate: true })
            .find(({ start }) => start.isCertain("day") || start.isCertain("weekday"))?.start
    if (start === undefined) continue
    const [year, month, day] = [start.get("year"), start.get("month"), start.get("day")]
    if (year !== null && month !== null && day !== null)
      return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
  }
  return null
}
