import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as z from "zod"
import { EventLog, MAX_PAGE } from "#channels/event-log/EventLog.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { EventPage } from "#src/http/conversation/eventSchemas.ts"
import { refuseExpired } from "#src/http/conversation/conversationErrors.ts"
import { encodedEnvelope } from "#src/http/server/envelope.ts"
import { cursor } from "#src/http/server/logReading.ts"
import { HeldBytes } from "#src/http/server/limits/HeldBytes.ts"
import { OPERATORS } from "#src/http/server/limits/Owner.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { wholeInQuery } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { anySessionNotFound } from "./operatorErrors.ts"
import { findAnySession } from "./operatorSessionRoutes.ts"
import { about } from "#src/http/server/about.ts"
import { requireContent } from "./requireContent.ts"

/** What was said in a session, for an owner who has given a reason. */
export const contentRoutes: Routes = ({ app, run }) => {
  app.get(
    "/admin/sessions/:session_id/events",
    {
      config: { auth: { operator: "owner" } },
      schema: {
        operationId: "readOperatorEvents",
        summary: "List the events of a session with what was said. Fails with content_closed without a reason",
        params: z.object({ session_id: z.string() }),
        querystring: z.object({
          since: cursor
            .default(0)
            .meta({ type: "integer", minimum: 0 })
            .describe("Exclusive. Continue with next_cursor"),
          limit: wholeInQuery(1, MAX_PAGE).default(MAX_PAGE)
        }),
        response: answers(EventPage, "session_not_found", "content_closed", "cursor_expired")
      }
    },
    async (request, reply) => {
      const { since, limit } = request.query
      const text = await run(
        reply,
        Effect.gen(function* () {
          const { app_id: appId, session_id: sessionId } = yield* findAnySession(request.params.session_id)
          yield* requireContent(request, sessionId)
          const room = yield* HeldBytes.useSync(({ roomOf }) => roomOf(OPERATORS))
          const page = yield* EventLog.use((log) => log.read("json", { appId, sessionId, since }, limit)).pipe(
            Effect.provideService(ReadRoom, room)
          )
          if (Option.isNone(page)) return yield* anySessionNotFound
          yield* refuseExpired(since, page.value).pipe(about("query.since"))
          const { text: events, nextCursor, tail } = page.value
          return encodedEnvelope(
            `{"events":[${events}],"next_cursor":${nextCursor},"has_more":${nextCursor < tail}}`,
            []
          )
        })
      )
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "no-store")
        .send(text)
    }
  )
}
