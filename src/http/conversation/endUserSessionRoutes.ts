import * as Effect from "effect/Effect"
import * as z from "zod"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { endUserExists } from "#src/http/privacy/endUserExists.ts"
import { findEndUser } from "#src/http/privacy/findEndUser.ts"
import { success } from "#src/http/server/envelope.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { toSessionResource } from "./sessionResource.ts"
import { SessionPage } from "./sessionSchemas.ts"

export const endUserSessionRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/end-users/:external_user_ref/sessions",
    {
      config: { demo: true, exists: endUserExists },
      schema: {
        operationId: "listEndUserSessions",
        summary: "List an end-user's sessions, newest first",
        tags: ["End-users"],
        params: z.object({ external_user_ref: z.string() }),
        querystring: z.object(listQuery),
        response: answers(SessionPage, "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const { external_user_ref: ref } = yield* findEndUser(appId, request.params.external_user_ref)
          const rows = yield* Sessions.use((sessions) =>
            sessions.list(appId, { characterSlug: null, externalUserRef: ref, status: null, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.session_id)
          return success({ sessions: items.map(toSessionResource), next_cursor })
        })
      )
  )
}
