import * as z from "zod"
import { CHANNEL_SORTS, CHANNEL_STATES } from "#src/db/operators/OperatorChannels.ts"
import { ChannelTest } from "#src/http/delivery/channelSchemas.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { Totals } from "./operatorAppSchemas.ts"

const time = z.iso.datetime()

export const OperatorChannelQuery = z.object({
  sort: z.enum(CHANNEL_SORTS).default("failure_rate").describe("failure_rate: of the last day, the highest first"),
  app_id: z.string().max(64).optional(),
  state: z
    .string()
    .max(100)
    .optional()
    .describe(`One or more of ${CHANNEL_STATES.join(", ")}, separated by commas`),
  ...listQuery
})
export const OperatorChannel = z.object({
  id: z.string(),
  app_id: z.string(),
  app_name: z.string(),
  session_id: z.string().nullable().describe("null: it receives the events of all sessions of its app"),
  kind: z.string(),
  url: z.string().describe("Masked: a whole address may contain a credential"),
  events: z.array(z.string()).nullable().describe("null: all types"),
  status: z.enum(CHANNEL_STATES),
  attempts_24h: z.int(),
  failures_24h: z.int(),
  failure_rate: z.number().nullable().describe("Of the last day. null: nothing was pushed"),
  failing_since: time.nullable(),
  consecutive_failures: z.int(),
  last_success_at: time.nullable(),
  paused_until: time.nullable().describe("Until when nothing is pushed, because the endpoint asked for it or fails"),
  created_at: time
})
/** Without the receiver's response, which is content. */
export const OperatorChannelTest = ChannelTest.omit({ answer: true })
export const OperatorChannelPage = z.object({
  channels: z.array(OperatorChannel),
  totals: Totals,
  next_cursor: z.string().nullable()
})
