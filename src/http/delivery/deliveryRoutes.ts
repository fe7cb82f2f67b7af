import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Deliveries, type Delivery, type DeliveryAttempt, type DeliveryPosition } from "#src/db/delivery/Deliveries.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { deliveryNotFound, retryLimitReached } from "./deliveryErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { DeliveryData, DeliveryDetail, DeliveryPage } from "./channelSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

/**
 * A delivery has no row of its own: its id consists of the channel and the cursor. A bot is a channel with its own id
 * prefix.
 */
const idOf = ({ channel_id, event_cursor }: Delivery) => `dlv_${channel_id.replace(/^chn_/, "")}_${event_cursor}`
const PLACE = /^(bot_)?([0-9A-Z]{26})_([1-9]\d{0,14})$/
const readPosition = (prefix: string, text: string): DeliveryPosition | null => {
  const [, bot, ulid = "", cursor = ""] = (text.startsWith(prefix) ? PLACE.exec(text.slice(prefix.length)) : null) ?? []
  const kind = bot === undefined ? "chn" : "bot"
  const channelId = `${kind}_${ulid}`
  return isId(kind, channelId) ? { channelId, cursor: Number(cursor) } : null
}

const toResource = (delivery: Delivery) => ({
  id: idOf(delivery),
  channel_id: delivery.channel_id,
  kind: delivery.kind,
  event_id: delivery.event_id,
  event_cursor: delivery.event_cursor,
  outcome: delivery.outcome,
  attempts: delivery.attempts,
  last_status_code: delivery.last_status_code,
  last_error_code: delivery.last_error_code,
  next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
  delivered_at: delivery.delivered_at?.toISOString() ?? null,
  latency_ms: delivery.latency_ms
})

const toAttempt = (attempt: DeliveryAttempt) => ({
  at: attempt.at.toISOString(),
  part: attempt.part,
  outcome: attempt.outcome,
  status_code: attempt.status_code,
  error_code: attempt.error_code,
  latency_ms: attempt.latency_ms,
  answer: attempt.answer
})

export const deliveryRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ session_id: z.string(), delivery_id: z.string() })
  const tags = ["Channels"]
  const find = Effect.fnUntraced(function* ({ session_id, delivery_id }: z.output<typeof params>) {
    const position = readPosition("dlv_", delivery_id)
    return position !== null && isId("ses", session_id) ? position : yield* deliveryNotFound
  })

  app.get(
    "/v1/sessions/:session_id/delivery",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listDeliveries",
        summary: "List the deliveries of the session's events to its channels, newest event first",
        tags,
        params: z.object({ session_id: z.string() }),
        querystring: z.object({ channel_id: z.string().max(64).optional(), ...listQuery }),
        response: answers(DeliveryPage, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const sessionId = request.params.session_id
          const { channel_id = null, cursor, limit } = request.query
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const key = yield* cursorKey(cursor)
          const before = key === null ? null : readPosition("", key)
          if (key !== null && before === null)
            return yield* validationError("query.cursor: Must be a cursor of this list")
          if ((yield* Sessions.use((sessions) => sessions.get(appId, sessionId))) === undefined)
            return yield* sessionNotFound
          const rows = yield* Deliveries.use((deliveries) =>
            deliveries.list(appId, sessionId, { channelId: channel_id, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => idOf(row).slice("dlv_".length))
          return success(
            { deliveries: items.map(toResource), next_cursor },
            items.slice(0, 1).map((item) => ({
              command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/delivery/${idOf(item)}`),
              description: "See each attempt"
            }))
          )
        })
      )
  )

  app.get(
    "/v1/sessions/:session_id/delivery/:delivery_id",
    {
      config: { demo: true },
      schema: {
        operationId: "getDelivery",
        summary: "Get a delivery of one event to one channel, with each attempt",
        tags,
        params,
        response: answers(DeliveryDetail, "delivery_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const sessionId = request.params.session_id
          const position = yield* find(request.params)
          const deliveries = yield* Deliveries
          const [delivery, attempts] = yield* Effect.all(
            [deliveries.get(appId, sessionId, position), deliveries.attempts(appId, sessionId, position)],
            { concurrency: 2 }
          )
          if (delivery === undefined) return yield* deliveryNotFound
          return success({ ...toResource(delivery), attempt_list: attempts.map(toAttempt) }, [
            {
              command: curl(baseUrl(), "POST", `/v1/sessions/${sessionId}/delivery/${idOf(delivery)}/retry`),
              description: "Retry the delivery now"
            }
          ])
        })
      )
  )

  app.post(
    "/v1/sessions/:session_id/delivery/:delivery_id/retry",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "retryDelivery",
        summary: "Retry a delivery now: again if it has ended, or without waiting for the next attempt",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(DeliveryData.extend(onCreate), "delivery_not_found", "delivery_retry_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const position = yield* find(request.params)
            const sessionId = request.params.session_id
            const delivery = yield* Deliveries.use((deliveries) =>
              deliveries.retry(request.principal.appId, sessionId, position)
            ).pipe(Effect.catchTag("RetryLimitReached", () => Effect.fail(retryLimitReached)))
            if (delivery === undefined) return yield* deliveryNotFound
            return success(toResource(delivery), [
              {
                command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/delivery/${idOf(delivery)}`),
                description: "See the result"
              }
            ])
          })
        )
      )
  )
}
