import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { SessionRecall } from "#src/db/memory/SessionRecall.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { RecallBody, RecallData } from "./recallSchemas.ts"

export const recallRoutes: Routes = ({ app, answer }) => {
  app.post(
    "/v1/sessions/:session_id/recall",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "recall",
        summary: "What a turn would be given for a text, best first. Sends and stores nothing",
        tags: ["Relationship"],
        params: z.object({ session_id: z.string() }),
        body: RecallBody,
        response: answers(RecallData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const session = { appId: request.principal.appId, sessionId }
          const found = yield* SessionRecall.use((recall) => recall.find(session, request.body))
          return found === undefined ? yield* sessionNotFound : success({ found })
        })
      )
  )
}
