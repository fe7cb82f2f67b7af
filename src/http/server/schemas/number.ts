import * as z from "zod"

export const between = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum)

export const wholeBetween = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum)

/** A share, a probability or a trust value: 0 to 1. */
export const unit = () => between(0, 1)

/** In the body of a PATCH: the version that the change is based on. */
export const expectedVersion = () =>
  wholeBetween(1, 2_147_483_647)
    .optional()
    .meta({ description: "The request fails with 409 version_conflict if this is not the current version" })

/** A number in a query string, which is text. One message says all of what it must be. */
export const betweenInQuery = (minimum: number, maximum: number) => {
  const error = `Must be a number from ${minimum} to ${maximum}`
  return z.coerce.number({ error }).min(minimum, { error }).max(maximum, { error })
}

export const wholeInQuery = (minimum: number, maximum: number) => {
  const error = `Must be a whole number from ${minimum} to ${maximum}`
  return z.coerce.number({ error }).int({ error, abort: true }).min(minimum, { error }).max(maximum, { error })
}
