import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { type ScheduledMessage, ScheduledMessages } from "#src/db/proactive/ScheduledMessages.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { sessionExited } from "#src/http/conversation/conversationErrors.ts"
import { scheduleClosed, scheduleLimitReached, scheduledMessageNotFound } from "./proactiveErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { ScheduleCreate, ScheduledData, ScheduledPage } from "./scheduleSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

const MAX_AHEAD = Duration.days(366)
const LONGEST_WINDOW = Duration.days(7)
const USUAL_WINDOW = Duration.days(1)

type HeldBack = ReadonlyMap<string, string>
const NONE: HeldBack = new Map()

/** A waiting message is shown with the gate that blocks it now, not with the one of the last try. */
const toResource = (sessionId: string, heldBack: HeldBack) => (row: ScheduledMessage) => ({
  id: row.scheduled_id,
  session_id: sessionId,
  at: row.at.toISOString(),
  until: row.until.toISOString(),
  text: row.text,
  topic: row.topic,
  status: row.status,
  skipped_by: row.status === "scheduled" ? (heldBack.get(row.scheduled_id) ?? null) : row.skipped_by,
  run_ref: row.run_ref,
  created_at: row.created_at.toISOString()
})

/** The gates that due messages wait for. A message that is not due waits for none, so nothing is looked up. */
const heldBackOf = Effect.fnUntraced(function* (session: SessionRef, rows: ReadonlyArray<ScheduledMessage>) {
  const now = yield* Clock.currentTimeMillis
  const isDue = rows.some(({ status, at }) => status === "scheduled" && at.getTime() <= now)
  return isDue
    ? yield* ProactiveDecisions.use((proactiveDecisions) => proactiveDecisions.blockedMessages(session))
    : NONE
})

/** The window in which a message may be sent. Fails with 422 if it is in the past, too far ahead, or too long. */
const windowOf = Effect.fnUntraced(function* (body: z.output<typeof ScheduleCreate>) {
  const now = yield* Clock.currentTimeMillis
  const at = Date.parse(body.at)
  const until = body.until === undefined ? at + Duration.toMillis(USUAL_WINDOW) : Date.parse(body.until)
  if (at > now + Duration.toMillis(MAX_AHEAD)) return yield* validationError("body.at: must be at most 366 days ahead")
  if (until <= now)
    return yield* validationError(`body.${body.until === undefined ? "at" : "until"}: must not be in the past`)
  if (until < at) return yield* validationError("body.until: must not be before at")
  if (until > at + Duration.toMillis(LONGEST_WINDOW))
    return yield* validationError("body.until: must be at most 7 days after at")
  return { at: new Date(at), until: new Date(until) }
})

/** Proactive messages at a time that the app chooses. All gates of the proactive policy still apply. */
export const scheduleRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Proactive"]
  const path = "/v1/sessions/:session_id/proactive/schedule"
  const inSession = z.object({ session_id: z.string() })
  const one = inSession.extend({ scheduled_id: z.string() })
  const evaluate = (sessionId: string) => ({
    command: curl(baseUrl(), "POST", `/v1/sessions/${sessionId}/proactive/evaluate`, { dry_run: true }),
    description: "See which gate would stop a proactive message now"
  })

  app.post(
    path,
    {
      config: { demo: true, exists: sessionExists, writes: true },
      schema: {
        operationId: "scheduleProactiveMessage",
        summary: "Schedule a proactive message, with the given text or about a topic. All gates still apply",
        tags,
        params: inSession,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: ScheduleCreate,
        response: answers(
          ScheduledData.extend(created),
          "session_not_found",
          "schedule_limit_reached",
          "session_exited"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { session_id: sessionId } = yield* findSession(request.principal.appId, request.params.session_id)
            const session = { appId: request.principal.appId, sessionId }
            const { text = null, topic = null } = request.body
            const made = yield* ScheduledMessages.use((messages) =>
              Effect.flatMap(windowOf(request.body), (window) => messages.create(session, { ...window, text, topic }))
            ).pipe(Effect.catchTag("ScheduleFull", ({ most }) => Effect.fail(scheduleLimitReached(most))))
            const scheduled = made ?? (yield* sessionExited)
            return success(toResource(sessionId, yield* heldBackOf(session, [scheduled]))(scheduled), [
              evaluate(sessionId),
              {
                command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/proactive/schedule`),
                description: "List the scheduled messages"
              }
            ])
          })
        )
      )
  )

  app.get(
    path,
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listScheduledMessages",
        summary: "List the session's scheduled messages, newest first",
        tags,
        params: inSession,
        querystring: z.object(listQuery),
        response: answers(ScheduledPage, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const { appId } = request.principal
          const { session_id: sessionId } = yield* findSession(appId, request.params.session_id)
          const rows = yield* ScheduledMessages.use((messages) =>
            messages.list({ appId, sessionId }, { before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, ({ scheduled_id }) => scheduled_id)
          const heldBack = yield* heldBackOf({ appId, sessionId }, items)
          return success({ scheduled: items.map(toResource(sessionId, heldBack)), next_cursor })
        })
      )
  )

  app.delete(
    `${path}/:scheduled_id`,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "cancelScheduledMessage",
        summary: "Cancel a scheduled message that has not been sent yet",
        tags,
        params: one,
        response: answers(ScheduledData, "scheduled_message_not_found", "session_not_found", "scheduled_message_closed")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { scheduled_id: id } = request.params
          const { session_id: sessionId } = yield* findSession(appId, request.params.session_id)
          if (!isId("sch", id)) return yield* scheduledMessageNotFound
          const cancelled = yield* ScheduledMessages.use((messages) => messages.cancel({ appId, sessionId }, id)).pipe(
            Effect.catchTag("ScheduleClosed", ({ status }) => Effect.fail(scheduleClosed(status)))
          )
          return success(toResource(sessionId, NONE)(cancelled ?? (yield* scheduledMessageNotFound)))
        })
      )
  )
}
