import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { EventLog, type LogChunk, MAX_PAGE } from "#channels/event-log/EventLog.ts"
import { Feeds } from "#channels/event-log/Feeds.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { poll } from "#channels/event-log/poll.ts"
import { pollTurn } from "#channels/event-log/pollTurn.ts"
import type { TurnEnd } from "#channels/event-log/TurnEnds.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { curl, encodedEnvelope } from "#src/http/server/envelope.ts"
import { refuseExpired, sessionNotFound, turnNotFound } from "./conversationErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { openStream } from "#src/http/server/eventStream.ts"
import { cursor, endsWithCredential, watchCredential } from "#src/http/server/logReading.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import { betweenInQuery, wholeInQuery } from "#src/http/server/schemas/number.ts"
import { SessionEventPage } from "./eventSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"
import { about } from "#src/http/server/about.ts"
import { sinkOf } from "./sinkOf.ts"

/**
 * How long a reader waits before it reconnects, with jitter so that those disconnected together do not return together.
 */
export const RETRY_MS = { least: 1000, spread: 2000 }

/**
 * A reconnecting browser repeats its first URL and sends its progress in Last-Event-ID, which is therefore more recent.
 */
const startOf = (request: FastifyRequest, since: number) => {
  const lastEventId = request.headers["last-event-id"]
  if (lastEventId === undefined || lastEventId === "") return Effect.succeed(since)
  const parsed = cursor.safeParse(lastEventId)
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(validationError("headers.last-event-id: must be a cursor of this log"))
}

const startFieldOf = ({ headers: { "last-event-id": id = "" } }: FastifyRequest) =>
  id === "" ? "query.since" : "headers.last-event-id"

const TURN = "turn:"
const untilTurn = z
  .string()
  .max(64)
  .refine((text) => text.startsWith(TURN) && isId("run", text.slice(TURN.length)), "Must be turn: and a run_ref")
  .transform((text) => text.slice(TURN.length))
  .meta({ type: "string", pattern: "^turn:run_[0-9A-Z]{26}$" })

const withoutTurn = Option.map((page: LogChunk): { readonly page: LogChunk; readonly turn?: TurnEnd | undefined } => ({
  page
}))
const turnJson = (turn: TurnEnd | undefined) =>
  turn === undefined ? "" : `,"turn":${JSON.stringify({ run_ref: turn.runRef, outcome: turn.outcome })}`

export const eventRoutes: Routes = ({ app, baseUrl, stopping, run }) => {
  const params = z.object({ session_id: z.string() })

  app.get(
    "/v1/sessions/:session_id/events",
    {
      config: { demo: true, streamToken: true, exists: sessionExists, cost: { reads: 1 } },
      schema: {
        operationId: "readEvents",
        summary: "List the events of a session after a cursor",
        tags: ["Events"],
        params,
        querystring: z.object({
          since: cursor
            .default(0)
            .meta({ type: "integer", minimum: 0 })
            .describe("Exclusive. Always advance it to the highest cursor that you have seen"),
          limit: wholeInQuery(1, MAX_PAGE).default(MAX_PAGE),
          wait: betweenInQuery(0, 30).default(0).describe("Seconds to wait for an event if there is none yet"),
          until: untilTurn
            .optional()
            .describe("turn:{run_ref} waits until that turn has ended, whatever else is written, and says how it ended")
        }),
        response: answers(SessionEventPage, "session_not_found", "turn_not_found", "cursor_expired")
      }
    },
    async (request, reply) => {
      const { since, limit, wait, until } = request.query
      const sessionId = request.params.session_id
      const text = await run(
        reply,
        Effect.gen(function* () {
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const { appId } = request.principal
          const position = { appId, sessionId, since }
          const reading = endsWithCredential(
            request,
            wait,
            until === undefined
              ? Effect.map(poll(position, limit, Duration.seconds(wait), stopping), withoutTurn)
              : pollTurn(position, limit, until, Duration.seconds(wait), stopping)
          )
          const page = yield* OpenReads.use((reads) => reads.whileOpen(readerOf(request), wait, reading))
          if (Option.isNone(page))
            return yield* until === undefined ? sessionNotFound : turnNotFound.about("query.until")
          yield* refuseExpired(since, page.value.page).pipe(about("query.since"))
          const {
            page: { text, nextCursor, tail },
            turn
          } = page.value
          const more = `"next_cursor":${nextCursor},"has_more":${nextCursor < tail}${turnJson(turn)}`
          return encodedEnvelope(`{"events":[${text}],${more}}`, [
            {
              command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/events?since=${nextCursor}&wait=30`),
              description: "Wait for the next events"
            }
          ])
        })
      )
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "no-store")
        .send(text)
    }
  )

  app.get(
    "/v1/sessions/:session_id/events/stream",
    {
      exposeHeadRoute: false,
      config: { demo: true, streamToken: true, exists: sessionExists, cost: { reads: 1 } },
      schema: {
        operationId: "streamEvents",
        summary: "Stream the events as server-sent events. A connection lasts at most five minutes",
        tags: ["Events"],
        params,
        headers: z.object({ "last-event-id": z.string().optional().describe("Takes precedence over since") }),
        querystring: z.object({ since: cursor.default(0).meta({ type: "integer", minimum: 0 }) }),
        response: answersAs(
          "text/event-stream",
          z.string().describe("One frame per event: id is its cursor, event its type, data the event as JSON"),
          "session_not_found",
          "cursor_expired"
        )
      }
    },
    async (request, reply) => {
      const { appId } = request.principal
      const sessionId = request.params.session_id
      await run(
        reply,
        Effect.gen(function* () {
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const since = yield* startOf(request, request.query.since)
          const log = yield* EventLog
          const feeds = yield* Feeds
          const watch = yield* watchCredential(request)
          const sink = yield* sinkOf(reply.raw, readerOf(request))
          const begin = Effect.fnUntraced(function* (leaveCount: () => void) {
            const reading = log.read("sse", { appId, sessionId, since }, MAX_PAGE)
            const first = yield* Effect.provideService(reading, ReadRoom, sink.room)
            if (Option.isNone(first)) return yield* sessionNotFound
            yield* refuseExpired(since, first.value).pipe(about(startFieldOf(request)))
            openStream(reply, RETRY_MS.least + (yield* Random.nextIntBetween(0, RETRY_MS.spread)))
            const leave = yield* feeds.follow({ appId, sessionId }, since, first.value, sink)
            const unwatch = watch(() => {
              leave()
              sink.end()
            })
            const close = () => {
              unwatch()
              leave()
              leaveCount()
            }
            if (reply.raw.destroyed) close()
            else reply.raw.once("close", close)
          })
          yield* Effect.acquireUseRelease(
            OpenReads.use((reads) => reads.open(readerOf(request))),
            begin,
            (leaveCount, exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(leaveCount))
          )
        })
      )
      return reply
    }
  )
}
