import { Erasures } from "#src/db/privacy/Erasures.ts"
import { task } from "#src/jobs/runner/task.ts"

export const erasuresTask = task(
  "erasures",
  Erasures.use((erasures) => erasures.work),
  { cron: "* * * * *" }
)
