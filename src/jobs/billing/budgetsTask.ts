import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Notifies apps that a budget is nearly spent. */
export const budgetsTask = task(
  "budgets",
  BudgetWarnings.use((warnings) => warnings.warn),
  { cron: "* * * * *", queue: "budgets" }
)
