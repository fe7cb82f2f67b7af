import type { AppLimitsChange, EndUserLimits } from "#src/db/billing/Allowances.ts"
import type { AuditEntry } from "#src/db/tenancy/AuditEntries.ts"
import { usdOrNull } from "#src/http/server/usd.ts"

/** What was not changed stays undefined, and is not in the answer. */
const toCapsChange = (change: Partial<EndUserLimits>) => ({
  daily_messages: change.daily_message_limit,
  daily_cost_usd: usdOrNull(change.daily_limit_micro_usd),
  monthly_cost_usd: usdOrNull(change.monthly_limit_micro_usd),
  daily_images: change.daily_image_limit
})

type AppCapsChange = Omit<AppLimitsChange, "defaults"> & { readonly default_end_user_caps?: Partial<EndUserLimits> }

const toAppCapsChange = (change: AppCapsChange) => {
  const {
    daily_limit_micro_usd: daily,
    monthly_limit_micro_usd: monthly,
    hard_stop,
    messages_per_minute,
    default_end_user_caps: defaults
  } = change
  return {
    daily_budget_usd: usdOrNull(daily),
    monthly_budget_usd: usdOrNull(monthly),
    hard_stop,
    default_end_user_caps: defaults === undefined ? undefined : toCapsChange(defaults),
    rate_limits: messages_per_minute === undefined ? undefined : { messages_per_minute }
  }
}

/** A change as the fields that it set. Changes from before `before` was recorded have none. */
const withBefore = <A extends object>(detail: A & { readonly before?: A }, show: (change: A) => object) => ({
  ...show(detail),
  ...(detail.before !== undefined && { before: show(detail.before) })
})

/** The detail of an audit entry. For changes of caps, it uses the field names of the request. */
export const toAuditDetail = ({ action, detail }: AuditEntry): object =>
  action === "end_user_caps.updated"
    ? withBefore<Partial<EndUserLimits>>(detail, toCapsChange)
    : action === "caps.updated"
      ? withBefore<AppCapsChange>(detail, toAppCapsChange)
      : detail
