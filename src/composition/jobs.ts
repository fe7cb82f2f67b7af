import * as Layer from "effect/Layer"
import { TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import * as TurnSweeper from "#src/jobs/conversation/TurnSweeper.ts"
import * as LaneSweeper from "#src/jobs/delivery/LaneSweeper.ts"
import { MAX_EXTRACTIONS } from "#src/jobs/memory/MemoryExtractor.ts"
import { slotsFor } from "#src/jobs/runner/slots.ts"
import * as Runner from "#src/jobs/runner/Runner.ts"
import type { ServicesOf } from "#src/jobs/runner/task.ts"
import { tasks } from "./tasks.ts"

/**
 * Concurrent jobs: as many as memory extractions can run, plus half as many for short ones, such as the wake-ups of
 * turns.
 */
const CONCURRENCY = Math.ceil(slotsFor(MAX_EXTRACTIONS) * 1.5)

const runner = Runner.layer<ServicesOf<(typeof tasks)[number]>>({
  tasks,
  concurrency: CONCURRENCY,
  idle: TurnRunner.use((turns) => turns.idle)
})

/** Runs jobs, and finds turns and lanes without a job. The sweepers start after the jobs and stop before them. */
export const jobs = Layer.merge(TurnSweeper.layer, LaneSweeper.layer).pipe(Layer.provide(runner))
