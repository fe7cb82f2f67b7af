import { Retention } from "#src/db/privacy/Retention.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Deletes data that is older than the operator's retention period. */
export const retainTask = task(
  "retain",
  Retention.use((retention) => retention.apply),
  { cron: "23 3 * * *", fill: "1d" }
)
