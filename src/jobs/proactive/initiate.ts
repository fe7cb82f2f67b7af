import * as Effect from "effect/Effect"
import { Initiatives } from "#src/db/proactive/Initiatives.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Sessions taken at a time: as many as are surely decided on before another process takes them for left alone. */
const A_BATCH = 100
const AT_ONCE = 4
/** Then the next minute's job goes on. */
const BATCHES = 50

/** Looks at every session that is due, whether its character writes first. */
const initiate = Effect.gen(function* () {
  const initiatives = yield* Initiatives
  for (let batch = 0; batch < BATCHES; batch++) {
    const due = yield* initiatives.takeDue(A_BATCH)
    // One that cannot be looked at now is due again when its lease is over, and does not keep the others.
    yield* Effect.forEach(
      due,
      Effect.catchTag("DatabaseError", (error) =>
        Effect.logWarning("proactive check failed", { reason: error.message })
      ),
      { concurrency: AT_ONCE, discard: true }
    )
    if (due.length < A_BATCH) return
  }
})

export const initiateTask = task("initiate", initiate, { cron: "* * * * *" })
