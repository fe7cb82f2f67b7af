import * as z from "zod"
import { text } from "./text.ts"

/** Intl accepts offsets such as `+02:00` as time zones, but they have no daylight saving time. */
const isTimezone = (value: string): boolean => {
  if (!/^[A-Za-z]/.test(value)) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const isLanguageTag = (value: string): boolean => {
  try {
    return Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

export const timezone = () =>
  text(1, 64)
    .refine(isTimezone, "Invalid timezone: expected an IANA name such as Europe/Berlin")
    .meta({ description: "IANA timezone", examples: ["Europe/Berlin"] })

export const languageTag = () =>
  text(1, 35)
    .refine(isLanguageTag, "Invalid language: expected a BCP-47 tag such as en-GB")
    .meta({ description: "BCP-47 language tag", examples: ["en-GB"] })

export const clockTime = () =>
  z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "Invalid time: expected HH:MM, 00:00 to 23:59")
    .meta({ description: "Local time, HH:MM", examples: ["07:30"] })
