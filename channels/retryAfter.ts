import * as Duration from "effect/Duration"

/**
 * The wait before the next try: the schedule's step, up to a fifth shorter or longer so that what failed together is
 * not tried together. A receiver that asks for longer is heeded up to twice the step.
 */
export const nextDelay = (
  step: Duration.Duration,
  retryAfter: Duration.Duration | null,
  random: number
): Duration.Duration => {
  const wait = Duration.times(step, 0.8 + 0.4 * random)
  return retryAfter === null ? wait : Duration.max(wait, Duration.min(retryAfter, Duration.times(step, 2)))
}
