import * as Effect from "effect/Effect"
import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { task } from "#src/jobs/runner/task.ts"

/** Refunds what dead processes have reserved, and notifies apps that a budget is nearly spent. */
export const budgetsTask = task(
  "budgets",
  Effect.andThen(
    Expenses.use((expenses) => expenses.refundAbandoned),
    BudgetWarnings.use((warnings) => warnings.warn)
  ),
  { cron: "* * * * *", queue: "budgets" }
)
