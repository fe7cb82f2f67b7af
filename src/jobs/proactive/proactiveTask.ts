import * as Effect from "effect/Effect"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Sessions per claim: few enough to be decided before their lease ends and another process takes them. */
const BATCH_SIZE = 100
const AT_ONCE = 4
/** After this many, the next minute's job continues. */
const BATCHES = 50

/** Decides for every due session whether its character writes first. */
const checkProactive = Effect.gen(function* () {
  const proactiveDecisions = yield* ProactiveDecisions
  for (let batch = 0; batch < BATCHES; batch++) {
    const due = yield* proactiveDecisions.takeDue(BATCH_SIZE)
    // A session whose decision fails is due again when its lease ends, and does not block the others.
    yield* Effect.forEach(
      due,
      Effect.catchTag("DatabaseError", (error) =>
        Effect.logWarning("proactive check failed", { reason: error.message })
      ),
      { concurrency: AT_ONCE, discard: true }
    )
    if (due.length < BATCH_SIZE) return
  }
})

export const proactiveTask = task("initiate", checkProactive, { cron: "* * * * *" })
