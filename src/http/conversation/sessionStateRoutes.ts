import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { EMPTY_WORLD } from "#pipeline/world/World.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionNotFound } from "./conversationErrors.ts"
import { findSession } from "./findSession.ts"
import { sessionActions } from "./sessionActions.ts"
import { toStateResource } from "./sessionStateResource.ts"
import { SessionStateData } from "./sessionStateSchemas.ts"
import { sessionStateOf } from "./sessionStateOf.ts"

export const sessionStateRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.get(
    "/v1/sessions/:session_id/state",
    {
      config: { demo: true },
      schema: {
        operationId: "getSessionState",
        summary: "Get the state of a session, with the opt-in relationship scores",
        tags: ["Sessions"],
        params: z.object({ session_id: z.string() }),
        response: answers(SessionStateData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const session = yield* findSession(appId, request.params.session_id)
          const [{ character, exposes, relationship }, proactive, world = EMPTY_WORLD] = yield* Effect.all(
            [
              sessionStateOf(appId, session),
              ProactiveDecisions.use((proactiveDecisions) =>
                proactiveDecisions.stateOf({ appId, sessionId: session.session_id })
              ),
              Worlds.use((worlds) =>
                worlds.look({ appId, slug: session.character_slug, sessionId: session.session_id })
              )
            ],
            { concurrency: "unbounded" }
          )
          if (proactive === undefined) return yield* sessionNotFound
          return success(
            toStateResource(session, {
              character,
              relationship,
              proactive,
              exposes,
              world,
              nowMs: yield* Clock.currentTimeMillis
            }),
            sessionActions(baseUrl(), session.session_id)
          )
        })
      )
  )
}
