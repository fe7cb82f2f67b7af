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
    return skipped(key, "The character has no life rhythm.")
  if (timezone === undefined) {
    return check(
      key,
      {
        path: "life_rhythm.timezone",
        message: "The life rhythm has times but no time zone. UTC is assumed.",
        fix: "Set the time zone of the character, such as Europe/Lisbon."
      },
      ""
    )
  }
  return check(
    key,
    isTimezone(timezone)
      ? null
      : {
          path: "life_rhythm.timezone",
          message: "This is not a time zone.",
          fix: "Use a time zone such as Europe/Lisbon."
        },
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
      "The character leaves almost every message unanswered if it is allowed to.",
      "Lower it. 0.2 already has an effect."
    )
  if (thresholds.exit > EXTREME)
    return finding(
      "exit",
      "The character leaves permanently as soon as it is allowed to.",
      "Lower it. 0.5 is already strict."
    )
  if (thresholds.proactive_enabled !== true) return null
  if (thresholds.proactivity_tolerance === 0)
    return finding(
      "proactivity_tolerance",
      "The character should write first, but a tolerance of 0 prevents it.",
      "Raise the tolerance, or set proactive_enabled to false."
    )
  if (thresholds.daily_initiate_cap === 0)
    return finding(
      "daily_initiate_cap",
      "The character should write first, but a cap of 0 prevents it.",
      "Raise the cap, or set proactive_enabled to false."
    )
  return thresholds.cold_initiate_enabled === false && thresholds.session_resume_enabled === false
    ? finding(
        "cold_initiate_enabled",
        "The character should write first, but both occasions for it are off.",
        "Turn cold_initiate_enabled or session_resume_enabled on, or set proactive_enabled to false."
      )
    : null
}

/** When and how readily it acts. */
export const conductChecks = (character: Character): ReadonlyArray<Check> => [
  timezone(character),
  check("thresholds_sane", insane(character), "The thresholds are plausible.")
]
