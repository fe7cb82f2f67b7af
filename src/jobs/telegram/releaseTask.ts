import { Holds } from "#src/db/telegram/Holds.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Has go on what is not held back any more. */
export const releaseTask = task(
  "release",
  Holds.use((holds) => holds.finish),
  { cron: "* * * * *" }
)
