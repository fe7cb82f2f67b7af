import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { MAX_PAGE } from "#channels/event-log/EventLog.ts"
import { poll } from "#channels/event-log/poll.ts"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { curl, encodedEnvelope } from "#src/http/server/envelope.ts"
import { refuseExpired } from "#src/http/conversation/conversationErrors.ts"
import { invalidKey } from "#src/http/server/errors.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { betweenInQuery, wholeInQuery } from "#src/http/server/schemas/number.ts"
import { EventPage } from "#src/http/conversation/eventSchemas.ts"
import { cursor, endsWithCredential } from "#src/http/server/logReading.ts"
import { about } from "#src/http/server/about.ts"
import type { Routes } from "#src/http/server/Server.ts"

/** The app's operational log is a log like a session's, under the app's own id. */
export const deliveryEventRoutes: Routes = ({ app, baseUrl, stopping, run }) => {
  app.get(
    "/v1/delivery/events",
    {
      config: { demo: true, cost: { reads: 1 } },
      schema: {
        operationId: "readDeliveryEvents",
        summary:
          "List the operational events of the app's deliveries and bots: " +
          "messages with an unknown outcome, blocked chats, revoked bots",
        tags: ["Channels"],
        querystring: z.object({
          since: cursor.default(0).meta({ type: "integer", minimum: 0 }).describe("Exclusive"),
          limit: wholeInQuery(1, MAX_PAGE).default(MAX_PAGE),
          wait: betweenInQuery(0, 30).default(0).describe("Seconds to wait for an event if there is none yet")
        }),
        response: answers(EventPage, "cursor_expired")
      }
    },
    async (request, reply) => {
      const { since, limit, wait } = request.query
      const text = await run(
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          yield* OperationalLog.use((log) => log.begin(appId))
          const reading = endsWithCredential(
            request,
            wait,
            poll({ appId, sessionId: appId, since }, limit, Duration.seconds(wait), stopping)
          )
          const page = yield* OpenReads.use((reads) => reads.whileOpen(readerOf(request), wait, reading))
          // The app was deleted, and its keys with it.
          const chunk = yield* Effect.fromOption(page).pipe(Effect.mapError(() => invalidKey))
          yield* refuseExpired(since, chunk).pipe(about("query.since"))
          const { text, nextCursor, tail } = chunk
          return encodedEnvelope(`{"events":[${text}],"next_cursor":${nextCursor},"has_more":${nextCursor < tail}}`, [
            {
              command: curl(baseUrl(), "GET", `/v1/delivery/events?since=${nextCursor}&wait=30`),
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
}
