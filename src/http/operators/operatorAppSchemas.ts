import * as z from "zod"
import { APP_SORTS } from "#src/db/operators/OperatorApps.ts"
import { AppCapsData } from "#src/http/billing/capsSchemas.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { text } from "#src/http/server/schemas/text.ts"

const time = z.iso.datetime()

/** Where figures come from. */
export const Totals = z.object({
  source: z.literal("rollup").describe("Counted every minute by a job, not while the request waits"),
  as_of: time.describe("Everything up to then is counted")
})

export const OperatorAppQuery = z.object({
  sort: z
    .enum(APP_SORTS)
    .default("spend")
    .describe("spend: of this month. errors: failed turns of the last day. The highest comes first"),
  state: z.enum(["active", "suspended"]).optional(),
  account_id: z.string().max(64).optional(),
  name: text(1, 80).optional().describe("Part of the name, in upper or lower case"),
  ...listQuery
})

export const OperatorApp = z.object({
  app_id: z.string(),
  account_id: z.string(),
  name: z.string(),
  environment: z.enum(["test", "live"]),
  status: z.enum(["active", "suspended"]),
  suspended_at: time.nullable(),
  suspended_reason: z.string().nullable(),
  spent_today_usd: z.number(),
  spent_month_usd: z.number(),
  turns_24h: z.int(),
  failed_turns_24h: z.int(),
  last_used_at: time.nullable().describe("The last accepted message or use of a key"),
  created_at: time
})
export const OperatorAppPage = z.object({
  apps: z.array(OperatorApp),
  totals: Totals,
  next_cursor: z.string().nullable()
})
export const OperatorAppDetail = OperatorApp.extend({ caps: AppCapsData, totals: Totals })
