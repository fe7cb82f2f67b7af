import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { toControlsResource, toEvaluationResource } from "./proactiveResource.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { EvaluateBody, EvaluationData, ProactiveControlsData } from "./proactiveSchemas.ts"
import { proactiveControls } from "#src/http/character/proactiveControls.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

/** When a character writes first in a session: its controls (contract 2.6), and their effect. */
export const proactiveRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Proactive"]
  const params = z.object({ session_id: z.string() })
  const refOf = ({ principal, params }: FastifyRequest) => {
    const { session_id: sessionId = "" } = params as Record<string, string>
    return isId("ses", sessionId) ? Effect.succeed({ appId: principal.appId, sessionId }) : Effect.fail(sessionNotFound)
  }
  const policy = (appId: string) => ({
    command: curl(baseUrl(), "GET", `/v1/apps/${appId}/proactive-policy`),
    description: "See the policy for all sessions of the app"
  })
  const evaluate = (sessionId: string) => ({
    command: curl(baseUrl(), "POST", `/v1/sessions/${sessionId}/proactive/evaluate`, { dry_run: true }),
    description: "See whether the character would write first now, and what prevents it"
  })

  app.patch(
    "/v1/sessions/:session_id/proactive-controls",
    {
      config: { demo: true, exists: sessionExists, writes: true },
      schema: {
        operationId: "updateProactiveControls",
        summary:
          "Update the proactive controls of a session. null clears an override, and omitted fields stay unchanged",
        tags,
        params,
        body: proactiveControls,
        response: answers(ProactiveControlsData.extend(written), "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const ref = yield* refOf(request)
          const session =
            (yield* Sessions.use((sessions) => sessions.control(ref.appId, ref.sessionId, request.body))) ??
            (yield* sessionNotFound)
          const state =
            (yield* ProactiveDecisions.use((proactiveDecisions) => proactiveDecisions.stateOf(ref))) ??
            (yield* sessionNotFound)
          return success(toControlsResource(session, state), [evaluate(ref.sessionId), policy(ref.appId)])
        })
      )
  )

  app.post(
    "/v1/sessions/:session_id/proactive/evaluate",
    {
      config: { demo: true, exists: sessionExists, writes: true },
      schema: {
        operationId: "evaluateProactive",
        summary:
          "Check whether the character would write first at a given time, which gate " +
          "prevents it, and when it may next. Writes and sends nothing",
        tags,
        params,
        body: EvaluateBody,
        response: answers(EvaluationData.extend(written), "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const ref = yield* refOf(request)
          const { now, dry_run: dryRun } = request.body
          if (!dryRun && request.principal.kind !== "demo")
            return yield* validationError(
              "body.dry_run: only a demo key can set this to false",
              "Omit it, or use the sandbox: POST /v1/demo/sandbox-key."
            )
          const at = now === undefined ? null : new Date(now)
          const evaluation = yield* ProactiveDecisions.use((proactiveDecisions) =>
            dryRun ? proactiveDecisions.evaluate(ref, at) : proactiveDecisions.decideAndAct(ref, at)
          )
          return success(toEvaluationResource(ref.sessionId, dryRun, evaluation ?? (yield* sessionNotFound)), [
            {
              command: curl(
                baseUrl(),
                "GET",
                `/v1/apps/${ref.appId}/proactive-policy/decisions?session_id=${ref.sessionId}`
              ),
              description: "See earlier decisions"
            },
            ...(dryRun
              ? []
              : [
                  {
                    command: curl(baseUrl(), "GET", `/v1/sessions/${ref.sessionId}/events?since=0&wait=30`),
                    description: "Read what the character writes"
                  }
                ])
          ])
        })
      )
  )
}
