import type { Character } from "../domain/Character.ts"
import { type Check, check, type Finding, skipped } from "./Readiness.ts"

const isTimezone = (timezone: string): boolean => {
  try {
    return Intl.DateTimeFormat("en", { timeZone: timezone }) instanceof Intl.DateTimeFormat
  } catch {
    return false
  }
}

const timezone = ({ life_rhythm: { timezone, wake, sleep, busy } }: Character): Check => {
  const key = "timezone_valid"
  if (timezone === undefined && wake === undefined && sleep === undefined && busy.length === 0)
    return skipped(key, "No life rhythm is authored.")
  if (timezone === undefined) {
    return check(
      key,
      {
        path: "life_rhythm.timezone",
        message: "The life rhythm has times and no time zone: they are taken for UTC.",
        fix: "Say where the character lives, such as Europe/Lisbon."
      },
      ""
    )
  }
  return check(
    key,
    isTimezone(timezone)
      ? null
      : { path: "life_rhythm.timezone", message: "This is no time zone.", fix: "Give one such as Europe/Lisbon." },
    "The time zone is known."
  )
}

/** From this value on, a character hardly ever answers, or leaves at the first opportunity. */
const EXTREME = 0.9

const insane = ({ behavioral_thresholds: thresholds }: Character): Finding | null => {
  const finding = (field: keyof Character["behavioral_thresholds"], message: string, fix: string): Finding => ({
    path: `behavioral_thresholds.${field}`,
    message,
    fix
  })
  if (thresholds.withhold > EXTREME)
    return finding(
      "withhold",
      "The character leaves almost every message unanswered that it may.",
      "Set it lower: 0.2 is felt already."
    )
  if (thresholds.exit > EXTREME)
    return finding("exit", "The character leaves for good as soon as it may.", "Set it lower: 0.5 is strict already.")
  if (thresholds.proactive_enabled !== true) return null
  if (thresholds.proactivity_tolerance === 0)
    return finding(
      "proactivity_tolerance",
      "The character is to write first, and a tolerance of 0 never lets it.",
      "Raise the tolerance, or set proactive_enabled to false."
    )
  if (thresholds.daily_initiate_cap === 0)
    return finding(
      "daily_initiate_cap",
      "The character is to write first, and a cap of 0 never lets it.",
      "Raise the cap, or set proactive_enabled to false."
    )
  return thresholds.cold_initiate_enabled === false && thresholds.session_resume_enabled === false
    ? finding(
        "cold_initiate_enabled",
        "The character is to write first, and both occasions for it are off.",
        "Turn cold_initiate_enabled or session_resume_enabled on, or set proactive_enabled to false."
      )
    : null
}

/** When and how readily it acts. */
export const conductChecks = (character: Character): ReadonlyArray<Check> => [
  timezone(character),
  check("thresholds_sane", insane(character), "The thresholds leave the character room.")
]
