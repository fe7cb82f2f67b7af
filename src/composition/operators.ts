import { AppHealth } from "#src/db/operators/AppHealth.ts"

/** What routes use. */
export const serving = AppHealth.layer
