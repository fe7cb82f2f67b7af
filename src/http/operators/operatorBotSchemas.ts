import * as z from "zod"
import { BOT_SORTS } from "#src/db/operators/FleetBots.ts"
import { BOT_STATUSES } from "#src/db/telegram/bots/StoredBot.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { wholeInQuery } from "#src/http/server/schemas/number.ts"

const time = z.iso.datetime()
const MAX_SECONDS = 366 * 86_400
const seconds = () => wholeInQuery(1, MAX_SECONDS).optional()

/** The filters of the fleet, as they stand in a query. */
export const botFilterQuery = {
  app_id: z.string().max(64).optional(),
  state: z
    .string()
    .max(200)
    .optional()
    .describe(`One or more of ${BOT_STATUSES.join(", ")}, separated by commas`),
  reason: z.string().max(200).optional(),
  lag_over: seconds().describe("Seconds: a message or an update has waited for longer than this"),
  silent_for: seconds().describe("Seconds: nothing has come in for this long, or ever"),
  unsent_for: seconds().describe("Seconds: nothing was sent for this long, or ever")
}

export const FleetBotQuery = z.object({
  sort: z
    .enum(BOT_SORTS)
    .default("worst")
    .describe("worst: revoked, degraded, pending and suspended bots first. last_in, last_out: the most silent first"),
  ...botFilterQuery,
  ...listQuery
})

export const FleetBotData = z.object({
  id: z.string(),
  app_id: z.string(),
  app_name: z.string(),
  mode: z.enum(["byo", "managed"]),
  character_slug: z.string(),
  username: z.string().nullable(),
  status: z.enum(BOT_STATUSES),
  reason: z.string().nullable().describe("operator: suspended by the operator"),
  held: z.boolean().describe("The operator has suspended its app, or put its app's bots on hold"),
  last_in_at: time.nullable().describe("Accurate to ten seconds"),
  last_out_at: time.nullable().describe("Accurate to ten seconds"),
  outbound_lag_seconds: z.number().nullable().describe("How long the oldest message has waited to be sent"),
  inbound_lag_seconds: z.number().nullable().describe("How long the oldest update has waited for its turn"),
  failing_since: time.nullable(),
  telegram: z.object({
    probed_at: time.nullable(),
    pending_update_count: z.int().nullable(),
    last_error_message: z.string().nullable(),
    last_error_at: time.nullable()
  }),
  token_hint: z.string().nullable(),
  webhook_set_at: time.nullable(),
  created_at: time
})
export const FleetBotPage = z.object({ bots: z.array(FleetBotData), next_cursor: z.string().nullable() })
