import * as Layer from "effect/Layer"
import { TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import * as TurnSweeper from "#src/jobs/conversation/TurnSweeper.ts"
import { MAX_READING } from "#src/jobs/memory/TurnReader.ts"
import { placesFor } from "#src/jobs/runner/places.ts"
import * as Runner from "#src/jobs/runner/Runner.ts"
import type { ServicesOf } from "#src/jobs/runner/task.ts"
import { tasks } from "./tasks.ts"

/**
 * Jobs at once: as many as sessions may be read, and half as many more for those that are over at once, such as the
 * wake-ups of turns.
 */
const CONCURRENCY = Math.ceil(placesFor(MAX_READING) * 1.5)

const runner = Runner.layer<ServicesOf<(typeof tasks)[number]>>({
  tasks,
  concurrency: CONCURRENCY,
  idle: TurnRunner.use((turns) => turns.idle)
})

/** What runs jobs, and what finds the turns that no job covers. The sweeper starts after the jobs and stops before. */
export const jobs = TurnSweeper.layer.pipe(Layer.provide(runner))
