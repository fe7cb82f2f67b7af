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

const endUserCaps = {
  daily_messages: wholeBetween(0, 10_000)
    .nullable()
    .optional()
    .meta({ description: "Messages of the end-user in a day (UTC); null: no limit", examples: [200] }),
  daily_cost_usd: usd("In a day (UTC); null: no limit."),
  monthly_cost_usd: usd("In a month (UTC); null: no limit."),
  daily_images: wholeBetween(0, 10_000)
    .nullable()
    .optional()
    .meta({ description: "Images for the end-user in a day (UTC); null: no limit" })
}

export const AppCapsPatch = z.object({
  daily_budget_usd: usd("What all sends of the app may cost in a day (UTC); null: no limit."),
  monthly_budget_usd: usd("The same for a month (UTC)."),
  hard_stop: z.boolean().optional().meta({
    description:
      "true, which is the default: beyond the budget sends are refused. false: they go on, and only the events tell"
  }),
  default_end_user_caps: z
    .object(endUserCaps)
    .nullable()
    .optional()
    .meta({ description: "For each end-user who has no cap of their own; null: none" }),
  rate_limits: z
    .object({
      messages_per_minute: wholeBetween(1, 1_000_000)
        .nullable()
        .optional()
        .meta({
          description:
            "Messages that may be sent over HTTP in a minute, by all end-users together; null: as many as the " +
            "server lets any app",
          examples: [600]
        })
    })
    .nullable()
    .optional()
    .meta({ description: "Heeded within a minute; null: the server's" })
})
export const EndUserCapsPatch = z.object(endUserCaps).meta({ description: "null: the app's default applies again" })

const caps = z.object({
  daily_messages: z.int().nullable(),
  daily_cost_usd: z.number().nullable(),
  monthly_cost_usd: z.number().nullable(),
  daily_images: z.int().nullable()
})
const used = { day_usd: z.number(), month_usd: z.number() }
const resets = z.object({ day: time, month: time }).describe("When counting starts over")
export const AppCapsData = z.object({
  daily_budget_usd: z.number().nullable(),
  monthly_budget_usd: z.number().nullable(),
  hard_stop: z.boolean(),
  default_end_user_caps: caps,
  rate_limits: z.object({ messages_per_minute: z.int() }),
  used: z.object(used).nullable().describe("What is spent or held, counted only where there is a budget"),
  resets_at: resets
})
export const EndUserCapsData = z.object({
  external_user_ref: z.string(),
  caps: caps.describe("Their own; null: the app's default"),
  effective: caps,
  used: z
    .object({ ...used, day_messages: z.int(), day_images: z.int() })
    .nullable()
    .describe("What is spent or held, counted only where there is a cap"),
  resets_at: resets
})
export const EndUserUsageData = UsageData.extend({
  images: z.int(),
  caps: caps.describe("Those that apply to them; null: no limit"),
  remaining: caps.describe("What is left of them now"),
  resets_at: z.object({ day: time, month: time })
})
