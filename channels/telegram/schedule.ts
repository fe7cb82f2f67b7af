import * as Duration from "effect/Duration"

/**
 * Delays after attempts that certainly did not arrive: short at first, then minutes, for a day. An older message is
 * useless.
 */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  ...[1, 2, 4, 8, 16, 32].map((seconds) => Duration.seconds(seconds)),
  ...Array.from({ length: 24 * 60 }, () => Duration.minutes(1))
]
