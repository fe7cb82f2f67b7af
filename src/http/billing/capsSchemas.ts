import * as z from "zod"
import { between, wholeBetween } from "#src/http/server/schemas/number.ts"
import { UsageData } from "./usageSchemas.ts"

const MAX_USD = 1_000_000
const usd = (description: string) =>
  between(0, MAX_USD)
    .nullable()
    .optional()
    .meta({ description: `US dollars, to the millionth. ${description}`, examples: [5] })
const time = z.iso.datetime()

export const EndUserCapsPatch = z
  .object({
    daily_messages: wholeBetween(0, 10_000)
      .nullable()
      .optional()
      .meta({ description: "Messages from the end-user per day (UTC). null: no limit", examples: [200] }),
    daily_cost_usd: usd("Per day (UTC). null: no limit."),
    monthly_cost_usd: usd("Per month (UTC). null: no limit."),
    daily_images: wholeBetween(0, 10_000)
      .nullable()
      .optional()
      .meta({ description: "Images for the end-user per day (UTC). null: no limit" })
  })
  .meta({ description: "In the caps of one end-user, null restores the app's default" })

export const AppCapsPatch = z.object({
  daily_budget_usd: usd("Budget for all sends of the app per day (UTC). null: no limit."),
  monthly_budget_usd: usd("Budget for all sends of the app per month (UTC). null: no limit."),
  hard_stop: z.boolean().optional().meta({
    description: "Default true: sends beyond the budget are refused. false: they are accepted, and events report them"
  }),
  default_end_user_caps: EndUserCapsPatch.nullable()
    .optional()
    .meta({ description: "Apply to each end-user without caps of their own. null: none" }),
  rate_limits: z
    .object({
      messages_per_minute: wholeBetween(1, 1_000_000)
        .nullable()
        .optional()
        .meta({
          description: "Messages per minute over HTTP, by all end-users together. null: the server's limit per app",
          examples: [600]
        })
    })
    .nullable()
    .optional()
    .meta({ description: "Takes effect within a minute. null: the server's limits" })
})

const caps = z
  .object({
    daily_messages: z.int().nullable(),
    daily_cost_usd: z.number().nullable(),
    monthly_cost_usd: z.number().nullable(),
    daily_images: z.int().nullable()
  })
  .meta({ title: "Caps" })
const used = { day_usd: z.number(), month_usd: z.number() }
const resets = z.object({ day: time, month: time }).describe("When the counts reset")
export const AppCapsData = z.object({
  daily_budget_usd: z.number().nullable(),
  monthly_budget_usd: z.number().nullable(),
  hard_stop: z.boolean(),
  default_end_user_caps: caps,
  rate_limits: z.object({ messages_per_minute: z.int() }),
  used: z.object(used).nullable().describe("What is spent or reserved. Counted only if there is a budget"),
  resets_at: resets
})
export const EndUserCapsData = z.object({
  external_user_ref: z.string(),
  caps: caps.describe("The end-user's own caps. null: the app's default"),
  effective: caps,
  used: z
    .object({ ...used, day_messages: z.int(), day_images: z.int() })
    .nullable()
    .describe("What is spent or reserved. Counted only if there is a cap"),
  resets_at: resets
})
export const EndUserUsageData = UsageData.extend({
  images: z.int(),
  caps: caps.describe("The caps that apply to the end-user. null: no limit"),
  remaining: caps.describe("What is left of each cap now"),
  resets_at: z.object({ day: time, month: time })
})
