import * as Duration from "effect/Duration"

/**
 * The wait before the next try: the schedule's step, up to a fifth shorter or longer so that what failed together is not tried together.
 * A receiver that names a time of its own is heeded between the step and twice the step.
 */
export const nextDelay = (step: Duration.Duration, retryAfter: Duration.Duration | null, random: number): Duration.Duration =>
  retryAfter === null
    ? Duration.times(step, 0.8 + 0.4 * random)
    : Duration.clamp(retryAfter, { minimum: step, maximum: Duration.times(step, 2) })
