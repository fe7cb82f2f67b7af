import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { CHECKS_AT_ONCE } from "#src/db/proactive/releaseChecks.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Sessions per claim: few enough to be decided before their lease ends and another process takes them. */
const BATCH_SIZE = 100
/** After this many, the next minute's job continues. */
const BATCHES = 50

/** Decides for every due session whether its character writes first. */
const checkProactive = Effect.gen(function* () {
  const [membership, proactiveDecisions] = [yield* Membership, yield* ProactiveDecisions]
  for (let batch = 0; batch < BATCHES; batch++) {
    const owner = yield* membership.current
    if (Option.isNone(owner)) return
    const due = yield* proactiveDecisions.takeDue(owner.value, BATCH_SIZE)
    // A session whose decision fails is due again when its lease ends, and does not block the others.
    yield* Effect.forEach(due, Effect.catchTag("DatabaseError", logDatabaseError("proactive check failed")), {
      concurrency: CHECKS_AT_ONCE,
      discard: true
    })
    if (due.length < BATCH_SIZE) return
  }
})

export const proactiveTask = task("initiate", checkProactive, { cron: "* * * * *" })
