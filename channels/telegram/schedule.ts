import * as Duration from "effect/Duration"

/**
 * Waits after tries that surely did not arrive: quick at first, then by the minute, for a day. A message that is older
 * is of no use.
 */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  ...[1, 2, 4, 8, 16, 32].map((seconds) => Duration.seconds(seconds)),
  ...Array.from({ length: 24 * 60 }, () => Duration.minutes(1))
]
