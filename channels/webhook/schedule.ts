import * as Duration from "effect/Duration"

/** The first try is made at once; these are the waits after the first, second, ... ninth. After the tenth the event expires. */
export const SCHEDULE: ReadonlyArray<Duration.Duration> = [
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]
