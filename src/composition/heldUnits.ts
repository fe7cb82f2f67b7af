import * as Layer from "effect/Layer"
import { releaseImages } from "#src/db/character/releaseImages.ts"
import { HeldUnits } from "#src/db/crashes/HeldUnits.ts"
import { releaseLanes } from "#src/db/delivery/releaseLanes.ts"
import { releaseEvals } from "#src/db/evals/releaseEvals.ts"
import { releaseExports } from "#src/db/privacy/releaseExports.ts"
import { releaseChecks } from "#src/db/proactive/releaseChecks.ts"
import { releaseProbes, releaseResearch } from "#src/db/research/releaseRuns.ts"
import { releaseManagerUpdates, releaseUpdates } from "#src/db/telegram/releaseUpdates.ts"

/** What workers may hold when they die or stop, besides turns. */
export const heldUnits = Layer.succeed(HeldUnits, [
  releaseLanes,
  releaseImages,
  releaseChecks,
  releaseResearch,
  releaseProbes,
  releaseExports,
  releaseEvals,
  releaseUpdates,
  releaseManagerUpdates
])
