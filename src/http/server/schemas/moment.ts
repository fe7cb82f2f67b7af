import * as z from "zod"

/**
 * A moment that the database has a place for, wherever on earth it was written: one whose year is 1970 to 9999 in UTC.
 */
export const moment = z.iso.datetime({ offset: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear()
  return year >= 1970 && year <= 9999
}, "Must be from 1970 to 9999")

/** A day of these years. */
export const day = z.iso.date().refine((text) => text >= "1970", "Must be from 1970 to 9999")

/** The same, or a day in UTC, which stands for its beginning. */
export const momentOrDay = moment.or(day)

/** The same moment as UTC has it. */
export const inUtc = (moment: string | null): string | null => (moment === null ? null : new Date(moment).toISOString())
