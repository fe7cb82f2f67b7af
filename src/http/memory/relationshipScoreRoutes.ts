import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { success } from "#src/http/server/envelope.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { toMeter } from "#src/http/conversation/relationalMeter.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { RelationalMeter } from "#src/http/conversation/sessionStateSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionStateOf } from "#src/http/conversation/sessionStateOf.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

export const relationshipScoreRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/sessions/:session_id/relationship-scores",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "getRelationshipScores",
        summary: "Get the relationship scores of the session. Empty until the app opts in",
        tags: ["Relationship"],
        params: z.object({ session_id: z.string() }),
        response: answers(RelationalMeter, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const session = yield* findSession(appId, request.params.session_id)
          const { character, exposes, relationship } = yield* sessionStateOf(appId, session)
          const since = session.created_at.toISOString()
          return success(
            toMeter({
              posture: character.relationship_posture,
              scores: relationship.bearing.scores,
              nowMs: yield* Clock.currentTimeMillis,
              since,
              exposes
            })
          )
        })
      )
  )
}
