import type { AppRow } from "#src/db/operators/OperatorApps.ts"
import { toUsd } from "#src/http/server/usd.ts"

export const toOperatorApp = (row: AppRow) => ({
  app_id: row.app_id,
  account_id: row.account_id,
  name: row.name,
  environment: row.environment,
  status: row.suspended_at === null ? "active" : "suspended",
  suspended_at: row.suspended_at?.toISOString() ?? null,
  suspended_reason: row.suspended_reason,
  spent_today_usd: toUsd(row.spent_day_micro_usd),
  spent_month_usd: toUsd(row.spent_month_micro_usd),
  turns_24h: row.turns_24h,
  failed_turns_24h: row.failed_24h,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString()
})

export const totalsAt = (asOf: Date) => ({ source: "rollup", as_of: asOf.toISOString() })
