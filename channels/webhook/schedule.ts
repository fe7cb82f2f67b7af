import * as Duration from "effect/Duration"

/**
 * For a webhook without a schedule of its own. The first attempt is made at once. These are the waits after the first,
 * second, ... failed attempt; after the last one the event expires. The first waits are short because an event that
 * waits holds back its whole conversation.
 */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  ...[1, 2, 5, 15, 30].map(Duration.seconds),
  ...[1, 2, 5, 15, 30].map(Duration.minutes),
  ...[1, 2, 4, 8, 12, 24].map(Duration.hours)
]
