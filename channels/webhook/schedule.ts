import * as Duration from "effect/Duration"

/**
 * The first attempt is immediate, and these are the delays after the first, second, ... failure. After the last one the
 * event expires. The first delays are short, because a waiting event blocks its whole conversation.
 */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  ...[1, 2, 5, 15, 30].map(Duration.seconds),
  ...[1, 2, 5, 15, 30].map(Duration.minutes),
  ...[1, 2, 4, 8, 12, 24].map(Duration.hours)
]
