import * as Duration from "effect/Duration"

/**
 * Of a webhook that has no schedule of its own. The first try is made at once; these are the waits after the first, second, ... failed try. When they are used up the
 * event expires. The first waits are short because an event that waits holds back its whole conversation.
 */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  ...[1, 2, 5, 15, 30].map(Duration.seconds),
  ...[1, 2, 5, 15, 30].map(Duration.minutes),
  ...[1, 2, 4, 8, 12, 24].map(Duration.hours)
]
