import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { readEndUserCaps, toEndUserCapsResource, toEndUserRemaining } from "./caps.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { endUserNotFound } from "#src/http/privacy/privacyErrors.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { EndUserCapsData, EndUserCapsPatch, EndUserUsageData } from "./capsSchemas.ts"
import { usageQuery } from "./usageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readUsage } from "./usage.ts"
import { endUserExists } from "#src/http/privacy/endUserExists.ts"
import { isExternalUserRef } from "#src/http/privacy/externalUserRef.ts"

/** An end-user's limits and usage, for the app itself. See accountCaps for its account. */
export const endUserCapsRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["End-users"]
  const path = "/v1/end-users/:external_user_ref"
  const params = z.object({ external_user_ref: z.string() })
  const find = Effect.fnUntraced(function* ({ principal, params }: FastifyRequest) {
    const { external_user_ref: ref = "" } = params as Record<string, string>
    const allowance = isExternalUserRef(ref)
      ? yield* Allowances.use((allowances) => allowances.ofEndUser(principal.appId, ref))
      : undefined
    return { ref, allowance: allowance ?? (yield* endUserNotFound) }
  })
  const next = (ref: string) => [
    {
      command: curl(baseUrl(), "GET", `/v1/end-users/${encodeURIComponent(ref)}/usage?group_by=day`),
      description: "See their usage"
    }
  ]

  app.get(
    `${path}/usage`,
    {
      config: { demo: true, exists: endUserExists },
      schema: {
        operationId: "getEndUserUsage",
        summary: "Get an end-user's usage, and what is left of their caps",
        tags,
        params,
        querystring: usageQuery("day", "kind"),
        response: answers(EndUserUsageData, "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { ref, allowance } = yield* find(request)
          const used = yield* readUsage([request.principal.appId], request.query, ref)
          return success({ ...used, ...toEndUserRemaining(allowance, yield* Clock.currentTimeMillis) })
        })
      )
  )

  app.get(
    `${path}/caps`,
    {
      config: { demo: true, exists: endUserExists },
      schema: {
        operationId: "getEndUserCaps",
        summary: "Get an end-user's caps and current use",
        tags,
        params,
        response: answers(EndUserCapsData, "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { ref, allowance } = yield* find(request)
          return success(toEndUserCapsResource(ref, allowance, yield* Clock.currentTimeMillis), next(ref))
        })
      )
  )

  app.patch(
    `${path}/caps`,
    {
      config: { writes: true },
      schema: {
        operationId: "updateEndUserCaps",
        summary: "Update an end-user's caps by JSON merge patch, even before their first session",
        tags,
        params,
        body: EndUserCapsPatch,
        response: answers(EndUserCapsData.extend(written), "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { external_user_ref: ref } = request.params
          if (!isExternalUserRef(ref)) return yield* endUserNotFound
          const changed = yield* Allowances.use((allowances) =>
            allowances.limitEndUser(request.principal.appId, ref, readEndUserCaps(request.body))
          )
          return success(toEndUserCapsResource(ref, changed, yield* Clock.currentTimeMillis), next(ref))
        })
      )
  )
}
