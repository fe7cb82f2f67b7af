import * as Layer from "effect/Layer"
import { HeldUnits } from "#src/db/crashes/HeldUnits.ts"
import { releaseChecks } from "#src/db/proactive/releaseChecks.ts"

/** What workers may hold when they die, besides turns. */
export const heldUnits = Layer.succeed(HeldUnits, [releaseChecks])
