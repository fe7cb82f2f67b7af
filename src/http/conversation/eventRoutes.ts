import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { FastifyRequest } from "fastify"
import type { ServerResponse } from "node:http"
import * as z from "zod"
import { EventLog, MAX_PAGE } from "#channels/event-log/EventLog.ts"
import { Feeds, type Sink } from "#channels/event-log/Feeds.ts"
import { poll } from "#channels/event-log/poll.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { curl, encodedEnvelope } from "#src/http/server/envelope.ts"
import { cursorExpired, sessionNotFound } from "./conversationErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { openStream } from "#src/http/server/eventStream.ts"
import { cursor, endsWithKey } from "#src/http/server/logReading.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import { betweenInQuery, wholeInQuery } from "#src/http/server/schemas/number.ts"
import { EventPage } from "./eventSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"

/**
 * How long a reader waits before it reconnects, with jitter so that those disconnected together do not return together.
 */
const RETRY_MS = { least: 1000, spread: 2000 }

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

export const sinkOf = (response: ServerResponse): Sink => ({
  write: (text) => response.write(text),
  onDrain: (resume) => response.once("drain", resume),
  // Data that a reader does not read would stay in our memory forever.
  end: () => (response.writableNeedDrain ? response.destroy() : response.end())
})

export const eventRoutes: Routes = ({ app, baseUrl, stopping, run }) => {
  const params = z.object({ session_id: z.string() })

  app.get(
    "/v1/sessions/:session_id/events",
    {
      config: { demo: true, exists: sessionExists, cost: { reads: 1 } },
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
          wait: betweenInQuery(0, 30).default(0).describe("Seconds to wait for an event if there is none yet")
        }),
        response: answers(EventPage, 404, 410)
      }
    },
    async (request, reply) => {
      const { since, limit, wait } = request.query
      const sessionId = request.params.session_id
      const text = await run(
        reply,
        Effect.gen(function* () {
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const { appId, prefix } = request.principal
          const reading = endsWithKey(
            prefix,
            wait,
            poll({ appId, sessionId, since }, limit, Duration.seconds(wait), stopping)
          )
          const page = yield* OpenReads.use((reads) => reads.whileOpen(readerOf(request), wait, reading))
          if (Option.isNone(page)) return yield* sessionNotFound
          const { text, nextCursor, tail, keptAfter } = page.value
          if (since < keptAfter) return yield* cursorExpired(keptAfter)
          return encodedEnvelope(`{"events":[${text}],"next_cursor":${nextCursor},"has_more":${nextCursor < tail}}`, [
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
      config: { demo: true, exists: sessionExists, cost: { reads: 1 } },
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
          404,
          410
        )
      }
    },
    async (request, reply) => {
      const { appId, prefix } = request.principal
      const sessionId = request.params.session_id
      await run(
        reply,
        Effect.gen(function* () {
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const since = yield* startOf(request, request.query.since)
          const log = yield* EventLog
          const first = yield* log.read("sse", { appId, sessionId, since }, MAX_PAGE)
          if (Option.isNone(first)) return yield* sessionNotFound
          if (since < first.value.keptAfter) return yield* cursorExpired(first.value.keptAfter)
          const feeds = yield* Feeds
          const { watch } = yield* KeyWatch
          const leaveCount = yield* OpenReads.use((reads) => reads.open(readerOf(request)))
          openStream(reply, RETRY_MS.least + (yield* Random.nextIntBetween(0, RETRY_MS.spread)))
          const sink = sinkOf(reply.raw)
          const leave = yield* feeds.follow({ appId, sessionId }, since, first.value, sink)
          const unwatch = watch(prefix, () => {
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
      )
      return reply
    }
  )
}
