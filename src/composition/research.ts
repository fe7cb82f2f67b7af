import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { Evidence } from "#src/db/research/Evidence.ts"
import * as PostgresEvidenceStore from "#src/db/research/PostgresEvidenceStore.ts"
import { Findings } from "#src/db/research/Findings.ts"
import { Probes } from "#src/db/research/Probes.ts"
import { Research } from "#src/db/research/Research.ts"
import { ProbeWorker } from "#src/jobs/character/ProbeWorker.ts"
import { ResearchWorker } from "#src/jobs/research/ResearchWorker.ts"
import { pages } from "./delivery.ts"
import { turnOptions } from "./turnPipeline.ts"

const probes = Probes.layer.pipe(Layer.provide(Expenses.layer))

/** Sources about characters, and what was extracted from them. */
const evidence = Evidence.layer
const research = Layer.merge(Research.layer.pipe(Layer.provide(Expenses.layer)), Findings.layer).pipe(
  Layer.provideMerge(evidence)
)

/** Services that routes use. */
export const serving = Layer.mergeAll(probes, research, pages)

/** Services that turns read from. */
export const stores = PostgresEvidenceStore.layer.pipe(Layer.provide(evidence))

const probeWorker = Layer.unwrap(Effect.map(turnOptions, ProbeWorker.layer))

/** Services that jobs use. */
export const working = Layer.merge(
  probeWorker.pipe(Layer.provide(probes)),
  ResearchWorker.layer.pipe(Layer.provide([research, pages]))
)
