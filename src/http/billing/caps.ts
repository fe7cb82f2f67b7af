import type { AppAllowance, AppLimitsChange, EndUserAllowance, EndUserLimits } from "#src/db/billing/Allowances.ts"
import type * as z from "zod"
import { toUsd, usdOrNull } from "#src/http/server/usd.ts"
import type { AppCapsPatch, EndUserCapsPatch } from "./capsSchemas.ts"

const toMicroUsd = (usd: number | null | undefined) =>
  usd === null || usd === undefined ? usd : Math.round(usd * 1_000_000)

const withoutAbsent = <A extends object>(fields: { readonly [Key in keyof A]: A[Key] | undefined }): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A>

const toCaps = (limits: EndUserLimits) => ({
  daily_messages: limits.daily_message_limit,
  daily_cost_usd: usdOrNull(limits.daily_limit_micro_usd),
  monthly_cost_usd: usdOrNull(limits.monthly_limit_micro_usd),
  daily_images: limits.daily_image_limit
})
const isLimited = (limits: EndUserLimits) => Object.values(limits).some((limit) => limit !== null)

/** Days and months are in UTC. */
const resetsAt = (nowMs: number) => {
  const now = new Date(nowMs)
  return {
    day: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString(),
    month: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
  }
}

export const readEndUserCaps = (caps: z.output<typeof EndUserCapsPatch>): Partial<EndUserLimits> =>
  withoutAbsent<EndUserLimits>({
    daily_message_limit: caps.daily_messages,
    daily_limit_micro_usd: toMicroUsd(caps.daily_cost_usd),
    monthly_limit_micro_usd: toMicroUsd(caps.monthly_cost_usd),
    daily_image_limit: caps.daily_images
  })

const NO_CAPS = { daily_messages: null, daily_cost_usd: null, monthly_cost_usd: null, daily_images: null }

export const readAppCaps = ({
  daily_budget_usd,
  monthly_budget_usd,
  hard_stop,
  default_end_user_caps: defaults,
  rate_limits: rates
}: z.output<typeof AppCapsPatch>): AppLimitsChange =>
  withoutAbsent<AppLimitsChange>({
    daily_limit_micro_usd: toMicroUsd(daily_budget_usd),
    monthly_limit_micro_usd: toMicroUsd(monthly_budget_usd),
    hard_stop,
    defaults: defaults === undefined ? undefined : readEndUserCaps(defaults ?? NO_CAPS),
    messages_per_minute: rates === null ? null : rates?.messages_per_minute
  })

export const toAppCapsResource = (allowance: AppAllowance, messagesPerMinute: number, nowMs: number) => ({
  daily_budget_usd: usdOrNull(allowance.daily_limit_micro_usd),
  monthly_budget_usd: usdOrNull(allowance.monthly_limit_micro_usd),
  hard_stop: allowance.hard_stop,
  default_end_user_caps: toCaps(allowance.defaults),
  rate_limits: { messages_per_minute: allowance.messages_per_minute ?? messagesPerMinute },
  used:
    allowance.daily_limit_micro_usd === null && allowance.monthly_limit_micro_usd === null
      ? null
      : { day_usd: toUsd(allowance.day_used_micro_usd), month_usd: toUsd(allowance.month_used_micro_usd) },
  resets_at: resetsAt(nowMs)
})

const left = (limit: number | null, used: number) => (limit === null ? null : Math.max(0, limit - used))
/** The caps that apply to an end-user, and what remains of each. */
export const toEndUserRemaining = (
  { effective, day_used_micro_usd, month_used_micro_usd, day_messages, day_images }: EndUserAllowance,
  nowMs: number
) => ({
  caps: toCaps(effective),
  remaining: toCaps({
    daily_message_limit: left(effective.daily_message_limit, day_messages),
    daily_limit_micro_usd: left(effective.daily_limit_micro_usd, day_used_micro_usd),
    monthly_limit_micro_usd: left(effective.monthly_limit_micro_usd, month_used_micro_usd),
    daily_image_limit: left(effective.daily_image_limit, day_images)
  }),
  resets_at: resetsAt(nowMs)
})

export const toEndUserCapsResource = (externalUserRef: string, allowance: EndUserAllowance, nowMs: number) => ({
  external_user_ref: externalUserRef,
  caps: toCaps(allowance.own),
  effective: toCaps(allowance.effective),
  used: isLimited(allowance.effective)
    ? {
        day_usd: toUsd(allowance.day_used_micro_usd),
        month_usd: toUsd(allowance.month_used_micro_usd),
        day_messages: allowance.day_messages,
        day_images: allowance.day_images
      }
    : null,
  resets_at: resetsAt(nowMs)
})
