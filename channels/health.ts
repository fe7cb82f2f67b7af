import * as Duration from "effect/Duration"

/** After this long without a successful attempt, a channel is failing and is only probed. */
export const FAILING_AFTER = Duration.hours(24)
/** How often a failing channel is tried. */
export const PROBE_EVERY = Duration.hours(1)
/** After this long without a successful attempt, a channel is disabled until its app resumes it. */
export const DISABLED_AFTER = Duration.hours(120)
