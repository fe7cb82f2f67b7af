import { Rollups } from "#src/db/operators/Rollups.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Counts what the operator's lists show. */
export const rollupTask = task(
  "rollup",
  Rollups.use((rollups) => rollups.run),
  { cron: "* * * * *", queue: "rollup" }
)
