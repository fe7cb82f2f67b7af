import * as Effect from "effect/Effect"
import * as z from "zod"
import { curl, success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { acceptFinding, rejectFinding } from "./decideFinding.ts"
import { findResearch } from "./findResearch.ts"
import { findingExists } from "./researchExists.ts"
import { toFinding } from "./researchResource.ts"
import { FindingAccept, FindingData } from "./researchSchemas.ts"

/** What becomes of what a run has found. */
export const findingRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Research"]
  const finding = "/v1/characters/:slug/research/:research_id/findings/:finding_id"
  const params = z.object({ slug: z.string(), research_id: z.string(), finding_id: z.string() })

  app.post(
    `${finding}/accept`,
    {
      config: { exists: findingExists, writes: true },
      schema: {
        operationId: "acceptFinding",
        summary:
          "Accept a finding. Its change becomes a new version of the character, and replies may use its evidence",
        description: "A finding without a change is accepted as it is, unless the body contains a change.",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: FindingAccept,
        response: answers(
          FindingData.extend(created),
          "character_not_found",
          "finding_not_found",
          "research_not_found",
          "evidence_retracted",
          "finding_accepted",
          "research_not_finished",
          "version_conflict"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, research_id: researchId, finding_id: findingId } = request.params
            const { appId } = request.principal
            yield* findResearch(appId, request.params)
            const accepted = yield* acceptFinding(
              { appId, slug, researchId, findingId },
              request.body?.proposed_change ?? null
            )
            return success(toFinding(accepted), [
              {
                command: curl(baseUrl(), "GET", `/v1/characters/${slug}`),
                description: "See the character as it is now"
              }
            ])
          })
        )
      )
  )

  app.post(
    `${finding}/reject`,
    {
      config: { writes: true },
      schema: {
        operationId: "rejectFinding",
        summary: "Reject a finding",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(
          FindingData.extend(created),
          "character_not_found",
          "finding_not_found",
          "research_not_found",
          "evidence_retracted",
          "finding_accepted",
          "research_not_finished"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, research_id: researchId, finding_id: findingId } = request.params
            const { appId } = request.principal
            yield* findResearch(appId, request.params)
            const rejected = yield* rejectFinding({ appId, slug, researchId, findingId })
            return success(toFinding(rejected))
          })
        )
      )
  )
}
