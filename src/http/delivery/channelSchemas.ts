import * as z from "zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { eventType } from "#src/http/conversation/eventSchemas.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import { secretOnChange, secretOnCreate } from "./channelSecret.ts"
import { allConfigFields, configFields } from "./kindFields.ts"

/** How long a replaced secret keeps signing by default. */
const DAY_SECONDS = 86_400

/** Those of the app's operational log are only received by app-wide channels. */
const eventTypes = z
  .array(eventType)
  .min(1)
  .max(32)
  .nullable()
  .optional()
  .meta({ description: "The event types to push. null: all" })

type EventTypes = z.output<typeof eventTypes>

const url = z
  .string()
  .min(1)
  .max(2048)
  .meta({ description: "An https URL with a public address", examples: ["https://example.com/troupe"] })

export interface ChannelCreate {
  readonly kind: string
  readonly url: string
  readonly secret?: string | undefined
  readonly events?: EventTypes
  readonly from?: "start" | undefined
  readonly [configField: string]: unknown
}

/** A channel of any of the kinds whose channels apps make. */
export const channelCreate = (kinds: ReadonlyArray<ChannelKind>): z.ZodType<ChannelCreate> => {
  const [first, ...others] = kinds
    .filter(({ config }) => config !== null)
    .map((kind) =>
      z.object({
        kind: z.literal(kind.name),
        url,
        secret: secretOnCreate(kind),
        events: eventTypes,
        ...configFields(kind),
        from: z
          .literal("start")
          .optional()
          .meta({ description: "start: also push the events that are already on the log" })
      })
    )
  if (first === undefined) throw new Error("there is no kind whose channels apps make")
  return (others.length === 0 ? first : z.discriminatedUnion("kind", [first, ...others])).meta({
    title: "ChannelCreate"
  })
}

/** What may change of a channel of one of these kinds. */
export const channelPatch = (kinds: ReadonlyArray<ChannelKind>) =>
  z
    .object({
      url: url.optional(),
      events: eventTypes,
      ...allConfigFields(kinds),
      secret: secretOnChange(kinds),
      previous_secret_ttl_seconds: wholeBetween(0, DAY_SECONDS)
        .default(DAY_SECONDS)
        .meta({ description: "How long the replaced secret also signs" })
    })
    .meta({ title: "ChannelPatch" })
export type ChannelPatch = z.output<ReturnType<typeof channelPatch>>

export const ChannelReplay = z.object({
  since: z
    .int()
    .min(0)
    .meta({ description: "Exclusive. Everything after this cursor is pushed again, in each session of the channel" })
})

export const channelData = (kinds: ReadonlyArray<ChannelKind>) =>
  z
    .object({
      id: z.string(),
      session_id: z.string().nullable().describe("null: every session of the app"),
      kind: z.enum(kinds.filter(({ config }) => config !== null).map(({ name }) => name)),
      url: z
        .string()
        .describe(
          "Masked: only the host and the first segment of the path are shown. The rest " +
            "may hold a credential. It is stored encrypted and never shown"
        ),
      events: z.array(z.string()).nullable().describe("null: all"),
      ...allConfigFields(kinds),
      status: z
        .enum(["active", "paused", "failing", "disabled"])
        .describe("failing: no success for a day, retried once an hour. disabled: not retried until resume or replay"),
      position: z
        .int()
        .nullable()
        .describe(
          "Cursor of the last event that the channel has processed. null for " +
            "an app-wide channel, which has one in each session"
        ),
      consecutive_failures: z.int(),
      created_at: z.iso.datetime()
    })
    .meta({ title: "Channel" })
export const shownSecret = { secret: z.string().optional().describe("Only in the response that set it") }
export const channelPage = (kinds: ReadonlyArray<ChannelKind>) =>
  z.object({ channels: z.array(channelData(kinds)), next_cursor: z.string().nullable() }).meta({ title: "ChannelPage" })
export const ChannelDeleted = z.object({ id: z.string(), deleted: z.literal(true) })

const outcomes = ["sent", "not_sent", "unknown", "rejected", "gone"] as const

export const ChannelTest = z.object({
  outcome: z.enum(outcomes),
  status_code: z.int().nullable(),
  error_code: z.string().nullable(),
  latency_ms: z.number(),
  answer: z.string().nullable().describe("Start of the receiver's response")
})

export const DeliveryData = z.object({
  id: z.string(),
  channel_id: z.string(),
  kind: z.string(),
  event_id: z.string(),
  event_cursor: z.int(),
  outcome: z
    .enum(["pending", ...outcomes, "expired"])
    .describe("For an event of several messages: sent only if all of them are sent"),
  attempts: z.int(),
  last_status_code: z.int().nullable(),
  last_error_code: z.string().nullable(),
  next_attempt_at: z.iso.datetime().nullable(),
  delivered_at: z.iso.datetime().nullable(),
  latency_ms: z.number().nullable().describe("Latency of the last attempt")
})
export const DeliveryPage = z.object({ deliveries: z.array(DeliveryData), next_cursor: z.string().nullable() })
export const DeliveryDetail = DeliveryData.extend({
  attempt_list: z
    .array(
      z.object({
        at: z.iso.datetime(),
        part: z.int().describe("Index of the message, from 0, if the event is several messages on the channel"),
        outcome: z.enum([...outcomes, "expired"]),
        status_code: z.int().nullable(),
        error_code: z.string().nullable(),
        latency_ms: z.number().nullable(),
        answer: z.string().nullable()
      })
    )
    .describe("The last hundred, oldest first")
})
