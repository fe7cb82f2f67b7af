/** No more rows of a list are counted, so that a total costs no more than a few pages. */
export const MAX_COUNTED = 1000

/** How many rows a list has. */
export interface Total {
  readonly value: number
  /** False: at least so many. */
  readonly isExact: boolean
}

/** The total of up to `MAX_COUNTED` rows and one more. `isComplete`: no row was left out before they were counted. */
export const totalOf = (counted: number, isComplete = true): Total => ({
  value: Math.min(counted, MAX_COUNTED),
  isExact: isComplete && counted <= MAX_COUNTED
})
