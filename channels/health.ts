import * as Duration from "effect/Duration"

/** A channel whose every try has failed for this long is failing: it is only probed. */
export const FAILING_AFTER = Duration.hours(24)
/** How often a failing channel is tried. */
export const PROBE_EVERY = Duration.hours(1)
/** A channel whose every try has failed for this long is disabled, until its app resumes it. */
export const DISABLED_AFTER = Duration.hours(120)
