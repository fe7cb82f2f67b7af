import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import type { Operator } from "#src/accounts/Operator.ts"
import type { AttemptFilter } from "#src/db/operators/attemptFilter.ts"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import {
  type AttemptDetail,
  type AttemptPosition,
  type AttemptRow,
  DeliveryAttempts
} from "#src/db/operators/DeliveryAttempts.ts"
import { success } from "#src/http/server/envelope.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { AttemptDetailData, AttemptPageData, AttemptQuery } from "./operatorDeliverySchemas.ts"
import { anyDeliveryNotFound } from "./operatorErrors.ts"

const ID = /^(evt_[0-9A-Z]{26})-((?:chn|bot)_[0-9A-Z]{26})-(\d{1,6})-(\d{1,9})$/

/** The id of an attempt, which is also its position in the list. */
export const attemptIdOf = ({ eventId, channelId, part, fence }: AttemptPosition) =>
  `${eventId}-${channelId}-${part}-${fence}`
export const readAttemptId = (text: string): AttemptPosition | null => {
  const [, eventId, channelId, part, fence] = ID.exec(text) ?? []
  return eventId === undefined || channelId === undefined || !isId("evt", eventId)
    ? null
    : { eventId, channelId, part: Number(part), fence: Number(fence) }
}

/** The attempt that a path names. */
export const findAttempt = Effect.fnUntraced(function* (id: string) {
  const position = readAttemptId(id)
  const found = position === null ? undefined : yield* DeliveryAttempts.use((attempts) => attempts.get(position))
  return found ?? (yield* anyDeliveryNotFound)
})

const STATUS_CLASS = { none: 0, "1xx": 1, "2xx": 2, "3xx": 3, "4xx": 4, "5xx": 5 } as const

/** The filter that a query or a body names. */
export const readAttemptFilter = (given: Omit<z.output<typeof AttemptQuery>, "cursor" | "limit">): AttemptFilter => ({
  appId: given.app_id ?? null,
  channelId: given.channel_id ?? null,
  state: given.state,
  statusClass: given.status_class === undefined ? null : STATUS_CLASS[given.status_class],
  errorCode: given.error_code ?? null,
  eventId: given.event_id ?? null,
  since: given.since === undefined ? null : new Date(given.since),
  until: given.until === undefined ? null : new Date(given.until)
})

export const toAttempt = (row: AttemptRow) => ({
  id: attemptIdOf({ eventId: row.event_id, channelId: row.channel_id, part: row.part, fence: row.fence }),
  app_id: row.app_id,
  app_name: row.app_name,
  session_id: row.session_id,
  channel_id: row.channel_id,
  kind: row.kind,
  event_id: row.event_id,
  event_cursor: row.cursor,
  part: row.part,
  outcome: row.outcome,
  status_code: row.status_code,
  error_code: row.error_code,
  at: row.started_at.toISOString(),
  latency_ms: row.latency_ms,
  delivered: row.delivered
})

/** A receiver may repeat what was said, so its response is content: of the session, or else closed to everybody. */
export const toAttemptDetail = Effect.fnUntraced(function* (operator: Operator, row: AttemptDetail) {
  const { answer, request, session_id: sessionId } = row
  const openUntil =
    sessionId === null ? null : yield* BreakGlass.use((glass) => glass.mayReadContent(operator, sessionId))
  const isHidden = openUntil === null && answer !== null && answer !== ""
  return {
    ...toAttempt(row),
    request:
      request === null
        ? null
        : {
            ...request,
            signature_base: `${request.headers["webhook-id"]}.${request.headers["webhook-timestamp"]}.{body}`
          },
    response: isHidden ? null : answer,
    response_hidden: isHidden
  }
})

/** Attempts at deliveries, of every app. */
export const operatorDeliveryRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/deliveries",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listAttempts",
        summary: "Search attempts at deliveries of every app, newest event first. By default those that failed",
        querystring: AttemptQuery,
        response: answers(AttemptPageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit, ...filter } = request.query
          const key = yield* placeCursorKey(cursor, (text) => readAttemptId(text) !== null)
          const { rows, next } = yield* DeliveryAttempts.use((attempts) =>
            attempts.search(readAttemptFilter(filter), {
              after: key === null ? null : readAttemptId(key),
              limit,
              by: "attempt"
            })
          )
          return success({
            deliveries: rows.map(toAttempt),
            next_cursor: nextCursor(next === null ? null : attemptIdOf(next))
          })
        })
      )
  )

  app.get(
    "/admin/deliveries/:attempt_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getAttempt",
        summary: "Get an attempt at a delivery: the request that was sent, and the response if its session is open",
        params: z.object({ attempt_id: z.string() }),
        response: answers(AttemptDetailData, "delivery_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const row = yield* findAttempt(request.params.attempt_id)
          return success(yield* toAttemptDetail(request.operator, row))
        })
      )
  )
}
