import { camelCased } from "./camelCased.ts"
import { operatorArgs } from "./operatorArgs.ts"

const seconds = (description: string) => ({ type: "string", description, valueHint: "SECONDS" }) as const

/** The filters of `GET /admin/bots` as flags. */
const filterArgs = {
  app: { type: "string", description: "Bots of this app", valueHint: "APP_ID" },
  state: { type: "string", description: "Bots in these states, separated by commas", valueHint: "STATES" },
  because: { type: "string", description: "Bots with this reason. operator: suspended by you", valueHint: "REASON" },
  "lag-over": seconds("Bots with a message or an update that has waited for longer than this"),
  "silent-for": seconds("Bots that have received nothing for this long"),
  "unsent-for": seconds("Bots that have sent nothing for this long")
} as const

export const botListArgs = {
  ...filterArgs,
  limit: { type: "string", description: "How many to show. Default: 25", valueHint: "N" },
  ...operatorArgs
} as const
export const botActionArgs = {
  bot: {
    type: "positional",
    required: false,
    description: "Id of the bot (bot_...). Default: all that the flags name"
  },
  ...filterArgs,
  all: { type: "boolean", description: "Every bot of the server" },
  reason: { type: "string", description: "Kept in the audit log", valueHint: "TEXT" },
  "dry-run": { type: "boolean", description: "Only count and name the bots" },
  ...operatorArgs
} as const
export const deliveryListArgs = {
  app: { type: "string", description: "Deliveries of this app", valueHint: "APP_ID" },
  channel: { type: "string", description: "Deliveries of this webhook or bot", valueHint: "CHANNEL_ID" },
  state: { type: "string", description: "failed (default), any, sent, not_sent, unknown, ...", valueHint: "STATE" },
  "status-class": { type: "string", description: "none, 4xx, 5xx, ...", valueHint: "CLASS" },
  error: { type: "string", description: "Such as http_500 or timeout", valueHint: "CODE" },
  event: { type: "string", description: "Deliveries of this event", valueHint: "EVENT_ID" },
  since: { type: "string", description: "Events from this time on", valueHint: "TIME" },
  until: { type: "string", description: "Events before this time", valueHint: "TIME" },
  limit: { type: "string", description: "How many to show. Default: 25", valueHint: "N" },
  ...operatorArgs
} as const
const { limit: _, ...deliveryFilterArgs } = deliveryListArgs
export const deliveryRetryArgs = {
  attempt: { type: "positional", required: false, description: "Id of an attempt. Default: all that the flags name" },
  ...deliveryFilterArgs,
  "per-minute": { type: "string", description: "How many to repeat per minute. Default: 60", valueHint: "N" },
  reason: { type: "string", description: "Kept in the audit log", valueHint: "TEXT" },
  "dry-run": { type: "boolean", description: "Only count and name the deliveries" }
} as const

/** The names of flags as they may be typed. */
export const flagNames = (args: object) => Object.keys(args).flatMap((name) => [name, camelCased(name)])
