import * as Effect from "effect/Effect"
import { Activity } from "#src/db/operators/Activity.ts"
import { Alerts } from "#src/db/operators/Alerts.ts"
import { Health } from "#src/db/operators/Health.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Evaluates what is wrong, and opens, repeats and resolves alerts. What has happened is counted afterwards. */
export const healthTask = task(
  "health",
  Effect.gen(function* () {
    const { evidence, problems } = yield* Health.use((health) => health.ofServer)
    // What cannot be seen must not count as resolved. The alert is sent once the database is back.
    if (evidence.database.reachable) yield* Alerts.use((alerts) => alerts.evaluate(problems, evidence.at))
    yield* Activity.use((activity) => activity.count)
  }),
  { cron: "* * * * *", queue: "health" }
)
