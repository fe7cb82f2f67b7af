import * as Effect from "effect/Effect"
import * as z from "zod"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { mapEditErrors } from "#src/http/memory/mapEditErrors.ts"
import { success } from "#src/http/server/envelope.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { PreferencesData, PreferencesPatch } from "./preferencesSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

export const proactivePreferenceRoutes: Routes = ({ app, answer }) => {
  const path = "/v1/sessions/:session_id/proactive-preferences"
  const tags = ["Relationship"]
  const params = z.object({ session_id: z.string() })

  app.get(
    path,
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "getProactivePreferences",
        summary: "Get the person's preferences for proactive messages, and who set them",
        tags,
        params,
        response: answers(PreferencesData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          yield* findSession(appId, sessionId)
          const { bearing } = yield* Relationships.use((relationships) => relationships.stateOf({ appId, sessionId }))
          return success(bearing.preferences)
        })
      )
  )

  app.patch(
    path,
    {
      config: { demo: true, exists: sessionExists, writes: true },
      schema: {
        operationId: "updateProactivePreferences",
        summary: "Update the person's preferences for proactive messages",
        tags,
        params,
        body: PreferencesPatch,
        response: answers(PreferencesData.extend(written), "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          yield* findSession(appId, sessionId)
          const named = Object.fromEntries(Object.entries(request.body).filter(([, value]) => value !== undefined))
          return success(
            yield* mapEditErrors(
              RelationshipEdits.use((edits) => edits.changePreferences({ appId, sessionId }, named)),
              sessionNotFound
            )
          )
        })
      )
  )
}
