import * as Effect from "effect/Effect"
import * as z from "zod"
import { Timeline, TIMELINE_KINDS, type TimelineItem, type TimelinePosition } from "#src/db/conversation/Timeline.ts"
import { success } from "#src/http/server/envelope.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findSession } from "./findSession.ts"
import { cursorKey, listQuery, nextCursor } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"

const TimelineData = z.object({
  items: z.array(
    z.object({
      at: z.iso.datetime(),
      kind: z.enum(TIMELINE_KINDS),
      ref: z.string().describe("The id of the entry, or of the event or run that it belongs to"),
      title: z
        .string()
        .describe(
          "The type of an event, the outcome of a run or delivery, the kind of a memory or " +
            "open loop, an emotion, a decision, a verdict, or the beat of a storyline"
        ),
      detail: z.record(z.string(), z.unknown())
    })
  ),
  next_before: z.string().nullable().describe("Value of before for the next page")
})

const toResource = ({ at, kind, ref, title, detail }: TimelineItem) => ({
  at: new Date(at).toISOString(),
  kind,
  ref,
  title,
  detail
})

/** A time, or the position from a previous page. */
export const timelinePosition = Effect.fnUntraced(function* (before: string | undefined) {
  if (before !== undefined && moment.safeParse(before).success) return { atMs: Date.parse(before), key: "" }
  const unknown = validationError("query.before: Must be a moment, or a next_before of this timeline")
  const key = yield* Effect.mapError(cursorKey(before), () => unknown)
  const [, atMs, rest] = /^(\d{1,14})-([\w-]{1,100})$/.exec(key ?? "") ?? []
  if (atMs !== undefined && rest !== undefined) return { atMs: Number(atMs), key: rest } satisfies TimelinePosition
  return key === null ? null : yield* unknown
})

export const timelineRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/sessions/:session_id/timeline",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "readTimeline",
        summary: "List everything that happened in a session, newest first",
        tags: ["Observability"],
        params: z.object({ session_id: z.string() }),
        querystring: z.object({
          before: z.string().max(400).optional().describe("A time, or next_before of the previous page"),
          limit: listQuery.limit
        }),
        response: answers(TimelineData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const sessionId = request.params.session_id
          const { limit } = request.query
          const before = yield* timelinePosition(request.query.before)
          yield* findSession(appId, sessionId)
          const items = yield* Timeline.use((timeline) =>
            timeline.before(appId, sessionId, { before, limit: limit + 1 })
          )
          const shown = items.slice(0, limit)
          const last = items.length > limit ? shown.at(-1) : undefined
          return success({
            items: shown.map(toResource),
            next_before: nextCursor(last === undefined ? null : `${last.at}-${last.key}`)
          })
        })
      )
  )
}
