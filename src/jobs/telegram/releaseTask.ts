import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Resumes bots and lanes that are no longer suspended. */
export const releaseTask = task(
  "release",
  TelegramSuspensions.use((holds) => holds.finish),
  { cron: "* * * * *" }
)
