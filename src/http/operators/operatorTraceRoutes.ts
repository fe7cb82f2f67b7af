import * as Effect from "effect/Effect"
import * as z from "zod"
import { Timeline, type TimelineItem } from "#src/db/conversation/Timeline.ts"
import { timelinePosition } from "#src/http/conversation/timelineRoutes.ts"
import { traceOf, TraceData } from "#src/http/conversation/traceRoutes.ts"
import { success } from "#src/http/server/envelope.ts"
import { listQuery, nextCursor } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { OperatorTimeline } from "./operatorSessionSchemas.ts"
import { findAnySession } from "./operatorSessionRoutes.ts"

/** Fields of an entry that hold nothing that was said or remembered. */
const SHOWN: ReadonlySet<string> = new Set([
  "cursor",
  "role",
  "trace_id",
  "turn_index",
  "kind",
  "reply_mode",
  "error_code",
  "status",
  "channel_id",
  "event_cursor",
  "status_code",
  "skipped_by"
])

const withoutContent = ({ at, kind, ref, title, detail }: TimelineItem) => ({
  at: new Date(at).toISOString(),
  kind,
  ref,
  title,
  detail: Object.fromEntries(Object.entries(detail).filter(([field]) => SHOWN.has(field)))
})

/** What happened in a session, and how its turns went: without what was said. */
export const operatorTraceRoutes: Routes = ({ app, answer }) => {
  const params = z.object({ session_id: z.string() })

  app.get(
    "/admin/sessions/:session_id/timeline",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "readOperatorTimeline",
        summary: "List what happened in a session, newest first, without anything that was said",
        params,
        querystring: z.object({ before: z.string().max(400).optional(), limit: listQuery.limit }),
        response: answers(OperatorTimeline, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { limit } = request.query
          const before = yield* timelinePosition(request.query.before)
          const { app_id: appId, session_id: sessionId } = yield* findAnySession(request.params.session_id)
          const items = yield* Timeline.use((timeline) =>
            timeline.before(appId, sessionId, { before, limit: limit + 1 })
          )
          const shown = items.slice(0, limit)
          const last = items.length > limit ? shown.at(-1) : undefined
          return success({
            items: shown.map(withoutContent),
            next_before: nextCursor(last === undefined ? null : `${last.at}-${last.key}`)
          })
        })
      )
  )

  app.get(
    "/admin/sessions/:session_id/trace",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "readOperatorTrace",
        summary: "Get the stages, cost and decisions of the turns of a session, newest first",
        params,
        querystring: z.object({ run_ref: z.string().max(64).optional(), ...listQuery }),
        response: answers(TraceData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId, session_id: sessionId } = yield* findAnySession(request.params.session_id)
          return success(yield* traceOf(appId, sessionId, request.query))
        })
      )
  )
}
