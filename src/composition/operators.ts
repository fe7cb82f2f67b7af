import { AppHealth } from "#src/db/operators/AppHealth.ts"

/** Services that routes use. */
export const serving = AppHealth.layer
