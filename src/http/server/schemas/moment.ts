import * as z from "zod"

/** A time that the database can store, with any offset: its year in UTC is 1970 to 9999. */
export const moment = z.iso.datetime({ offset: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear()
  return year >= 1970 && year <= 9999
}, "Must be from 1970 to 9999")

/** A day in these years. */
export const day = z.iso.date().refine((text) => text >= "1970", "Must be from 1970 to 9999")

/** The same, or a day, which stands for its start in UTC. */
export const momentOrDay = moment.or(day)

/** The same time in UTC. */
export const inUtc = (moment: string | null): string | null => (moment === null ? null : new Date(moment).toISOString())
