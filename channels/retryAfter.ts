import * as Duration from "effect/Duration"

/**
 * The delay before the next attempt: the schedule's step, with a jitter of up to a fifth, so that what failed together
 * is not retried together. If a receiver asks for longer, it gets up to twice the step.
 */
export const nextDelay = (
  step: Duration.Duration,
  retryAfter: Duration.Duration | null,
  random: number
): Duration.Duration => {
  const wait = Duration.times(step, 0.8 + 0.4 * random)
  return retryAfter === null ? wait : Duration.max(wait, Duration.min(retryAfter, Duration.times(step, 2)))
}
