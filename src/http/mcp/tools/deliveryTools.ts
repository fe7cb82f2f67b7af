import * as z from "zod"
import { apiPath } from "../Api.ts"
import { listing, mapData, name, READS, type Tool, tool } from "../tool.ts"

const Delivery = z.object({
  id: z.string(),
  channel_id: z.string(),
  kind: z.string(),
  event_id: z.string(),
  event_cursor: z.int(),
  outcome: z.string(),
  attempts: z.int(),
  last_status_code: z.int().nullable(),
  last_error_code: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
  delivered_at: z.string().nullable()
})
type Delivery = z.infer<typeof Delivery>

const deliveryOf = (delivery: Delivery): Delivery => ({
  id: delivery.id,
  channel_id: delivery.channel_id,
  kind: delivery.kind,
  event_id: delivery.event_id,
  event_cursor: delivery.event_cursor,
  outcome: delivery.outcome,
  attempts: delivery.attempts,
  last_status_code: delivery.last_status_code,
  last_error_code: delivery.last_error_code,
  next_attempt_at: delivery.next_attempt_at,
  delivered_at: delivery.delivered_at
})

const deliveryStatus = tool({
  name: "delivery_status",
  title: "Delivery status",
  description: "List the deliveries of a session's events to webhooks and Telegram, newest event first.",
  annotations: READS,
  input: z.object({
    session_id: name("Id of the session, ses_..."),
    channel_id: name("Only deliveries to this channel or bot").optional(),
    ...listing
  }),
  output: z.object({ deliveries: z.array(Delivery), next_cursor: z.string().nullable() }),
  run: async ({ session_id, ...query }, { api, signal }) =>
    mapData(
      await api<{ deliveries: ReadonlyArray<Delivery>; next_cursor: string | null }>({
        method: "GET",
        path: apiPath`/v1/sessions/${session_id}/delivery`,
        query,
        signal
      }),
      ({ deliveries, next_cursor }) => ({ deliveries: deliveries.map(deliveryOf), next_cursor })
    )
})

const retryDelivery = tool({
  name: "retry_delivery",
  title: "Retry a delivery",
  description: "Retry a delivery now: again if it has ended, or without waiting for the next attempt.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.object({
    session_id: name("Id of the session, ses_..."),
    delivery_id: name("Id of the delivery, dlv_...")
  }),
  output: Delivery,
  run: async ({ session_id, delivery_id }, { api, signal }) =>
    mapData(
      await api<Delivery>({
        method: "POST",
        path: apiPath`/v1/sessions/${session_id}/delivery/${delivery_id}/retry`,
        signal
      }),
      deliveryOf
    )
})

export const deliveryTools: ReadonlyArray<Tool> = [deliveryStatus, retryDelivery]
