import * as z from "zod"
import { ATTEMPT_STATES } from "#src/db/operators/attemptFilter.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { momentOrDay } from "#src/http/server/schemas/moment.ts"

const time = z.iso.datetime()
const OUTCOMES = ["sent", "not_sent", "unknown", "rejected", "gone", "expired"] as const
const STATUS_CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const

/** The filters of attempts, as they stand in a query and in the body of a retry. */
export const attemptFilterFields = {
  app_id: z.string().max(64).optional(),
  channel_id: z.string().max(64).optional().describe("A webhook or a bot"),
  state: z.enum(ATTEMPT_STATES).default("failed").describe("failed: every attempt that did not deliver"),
  status_class: z.enum(STATUS_CLASSES).optional().describe("none: no status was received"),
  error_code: z.string().max(100).optional().describe("Part of the code, such as http_5 or timeout"),
  event_id: z.string().max(64).optional(),
  since: momentOrDay.optional().describe("Events from this time on"),
  until: momentOrDay.optional().describe("Events before this time")
}

export const AttemptQuery = z.object({ ...attemptFilterFields, ...listQuery })

export const AttemptData = z.object({
  id: z.string(),
  app_id: z.string(),
  app_name: z.string().nullable().describe("null: the app is deleted"),
  session_id: z.string().nullable().describe("null: an operational event of the app"),
  channel_id: z.string(),
  kind: z.string(),
  event_id: z.string(),
  event_cursor: z.int(),
  part: z.int(),
  outcome: z.enum(OUTCOMES),
  status_code: z.int().nullable(),
  error_code: z.string().nullable(),
  at: time,
  latency_ms: z.number().nullable().describe("null: nothing was sent"),
  delivered: z.boolean().describe("This attempt or another one delivered it")
})
export const AttemptDetailData = AttemptData.extend({
  request: z
    .object({
      url: z.string().nullable().describe("Masked. null: it is not valid"),
      headers: z.record(z.string(), z.string()).describe("What was sent, including the signatures"),
      body_bytes: z.int(),
      body_sha256: z.string(),
      signature_base: z
        .string()
        .describe("What was signed. {body} stands for the event as JSON, which only a break-glass request shows")
    })
    .nullable()
    .describe("Of a webhook: what was sent and failed. null: it was delivered, or it is of a bot"),
  response: z
    .string()
    .nullable()
    .describe("The beginning of the response, at most 8 KiB. It is content, so only a break-glass request shows it"),
  response_hidden: z.boolean().describe("true: there is a response, and it is closed to you")
})
export const AttemptPageData = z.object({
  deliveries: z.array(AttemptData),
  next_cursor: z
    .string()
    .nullable()
    .describe("A filtered page can be short or empty and still not be the last. Continue until it is null")
})
