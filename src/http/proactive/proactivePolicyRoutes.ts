import * as Effect from "effect/Effect"
import * as z from "zod"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { ProactivePolicies } from "#src/db/proactive/ProactivePolicies.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { appNotFound } from "#src/http/tenancy/tenancyErrors.ts"
import { versionConflict } from "#src/http/server/errors.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { toDecisionResource, toPolicyResource } from "./proactiveResource.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { policyMerge, ProactiveDecisionPage, ProactivePolicyData, proactivePolicyPatch } from "./proactiveSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { refusalOf } from "#src/http/server/body/refusal.ts"
import { appExists } from "#src/http/tenancy/appExists.ts"

/** The policy for all characters of an app that write first, and the decisions that were made by it. */
export const proactivePolicyRoutes: Routes = ({ app, answer, baseUrl, channelKinds }) => {
  const mergePolicy = policyMerge(channelKinds)
  const tags = ["Proactive"]
  const path = "/v1/apps/:app_id/proactive-policy"
  const params = z.object({ app_id: z.string() })
  const own = (given: string, appId: string) => (given === appId ? Effect.succeed(appId) : Effect.fail(appNotFound))
  const next = (appId: string) => [
    {
      command: curl(baseUrl(), "GET", `/v1/apps/${appId}/proactive-policy/decisions`),
      description: "See the decisions"
    }
  ]

  app.get(
    path,
    {
      config: { demo: true },
      schema: {
        operationId: "getProactivePolicy",
        summary:
          "Get the app's proactive policy: when, how often and through " +
          "which channels its characters may write first",
        tags,
        params,
        response: answers(ProactivePolicyData, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const appId = yield* own(request.params.app_id, request.principal.appId)
          return success(toPolicyResource(yield* ProactivePolicies.use((policies) => policies.get(appId))), next(appId))
        })
      )
  )

  app.patch(
    path,
    {
      config: { demo: true, exists: appExists, writes: true },
      schema: {
        operationId: "updateProactivePolicy",
        summary: "Update the proactive policy by JSON merge patch. Each change creates a new version",
        tags,
        params,
        body: proactivePolicyPatch(channelKinds),
        response: answers(ProactivePolicyData.extend(written), "app_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const appId = yield* own(request.params.app_id, request.principal.appId)
          const { expected_version, ...patch } = request.body
          const changed = yield* ProactivePolicies.use((policies) =>
            policies.update(appId, expected_version, (policy) => {
              const merged = mergePolicy(policy, patch)
              return merged.success
                ? Effect.succeed(merged.data)
                : Effect.fail(refusalOf(merged.error.issues, "body", patch))
            })
          ).pipe(
            Effect.catchTag("VersionConflict", ({ current }) =>
              Effect.fail(versionConflict("proactive policy", current))
            )
          )
          return success(toPolicyResource(changed), next(appId))
        })
      )
  )

  app.get(
    `${path}/decisions`,
    {
      config: { demo: true, exists: appExists },
      schema: {
        operationId: "listProactiveDecisions",
        summary:
          "List the decisions on whether characters write first, and what prevented it, " +
          "newest first. Repeated decisions with the same reason are omitted",
        tags,
        params,
        querystring: z.object({ session_id: z.string().max(64).optional(), ...listQuery }),
        response: answers(ProactiveDecisionPage, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId = null, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          const appId = yield* own(request.params.app_id, request.principal.appId)
          const rows = yield* ProactiveDecisions.use((proactiveDecisions) =>
            proactiveDecisions.list(appId, { sessionId, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.decision_id)
          return success({ decisions: items.map(toDecisionResource), next_cursor })
        })
      )
  )
}
