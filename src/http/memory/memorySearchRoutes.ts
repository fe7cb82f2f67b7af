import * as Effect from "effect/Effect"
import * as z from "zod"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { toMemoryResource } from "./memoryResource.ts"
import { MemoriesFound, MemorySearchBody } from "./memorySchemas.ts"

export const memorySearchRoutes: Routes = ({ app, answer }) => {
  app.post(
    "/v1/sessions/:session_id/memories/search",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "searchMemories",
        summary: "Search memories by words, best first, as they are true now or were at a given time",
        tags: ["Relationship"],
        params: z.object({ session_id: z.string() }),
        body: MemorySearchBody,
        response: answers(MemoriesFound, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const session = { appId: request.principal.appId, sessionId }
          const { query, limit, as_of } = request.body
          yield* findSession(session.appId, sessionId)
          const memories = yield* Memories
          const found = yield* memories.search(session, {
            terms: recallQuery(query, []),
            languages: null,
            asOf: as_of === undefined ? null : new Date(as_of),
            pinned: false,
            limit
          })
          const whole = new Map(
            (yield* memories.some(
              session,
              found.map(({ id }) => id)
            )).map((memory) => [memory.id, toMemoryResource(sessionId)(memory)])
          )
          return success({
            memories: found.flatMap(({ id, score }) => {
              const memory = whole.get(id)
              return memory === undefined ? [] : [{ ...memory, score: { ...score, dense: null } }]
            })
          })
        })
      )
  )
}
