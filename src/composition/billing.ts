import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"

/** Services that jobs use. */
export const working = BudgetWarnings.layer
