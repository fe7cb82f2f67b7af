import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"

/** What jobs use. */
export const working = BudgetWarnings.layer
