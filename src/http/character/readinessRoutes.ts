import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { Writer } from "#pipeline/generation/Writer.ts"
import { SCRIPT } from "#pipeline/readiness/runProbe.ts"
import { Probes, type StoredProbe } from "#src/db/research/Probes.ts"
import { Prices } from "#src/model/prices.ts"
import { ConfiguredModels, probeMicroUsd } from "#src/model/reservation.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { workNotAffordable } from "#src/http/billing/billingErrors.ts"
import { characterArchived } from "./characterErrors.ts"
import { findCharacter } from "./findCharacter.ts"
import { readinessOf } from "./readinessOf.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { ProbeData, ReadinessData } from "./readinessSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists } from "./characterExists.ts"

const toProbe = (probe: StoredProbe) => ({
  trace_id: probe.run_ref,
  character_slug: probe.slug,
  character_version: probe.version,
  status: probe.status,
  engine: probe.engine,
  model: probe.model,
  passed: probe.status === "completed" ? probe.turns.every(({ status }) => status === "pass") : null,
  turns: probe.turns.map(({ key, user, reply, outcome, status, message, latency_ms }) => ({
    key,
    user,
    reply,
    outcome,
    status,
    message,
    latency_ms
  })),
  max_cost_usd: toUsd(probe.held_micro_usd),
  cost_usd: toUsd(probe.spent_micro_usd),
  error_code: probe.error_code,
  created_at: probe.created_at.toISOString(),
  finished_at: probe.finished_at?.toISOString() ?? null
})

export const readinessRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ slug: z.string() })
  const tags = ["Characters"]
  const path = "/v1/characters/:slug/readiness"

  app.get(
    path,
    {
      config: { demo: true, exists: characterExists },
      schema: {
        operationId: "getCharacterReadiness",
        summary: "Check a character by rules, for free: what is in order, what is not, and how to fix it",
        tags,
        params,
        response: answers(ReadinessData, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const character = yield* findCharacter(appId, request.params.slug)
          const { slug, version } = character
          const { status, score, checks, probe } = yield* readinessOf(appId, character)
          const checked_at = new Date(yield* Clock.currentTimeMillis).toISOString()
          return success(
            {
              status,
              score,
              checks,
              checked_version: version,
              checked_at,
              probe: probe === undefined ? null : toProbe(probe)
            },
            status === "blocked"
              ? []
              : [
                  {
                    command: curl(baseUrl(), "POST", `/v1/characters/${slug}/readiness/probe`),
                    description: `Play ${SCRIPT.length} test turns with the character, at the usual price`
                  }
                ]
          )
        })
      )
  )

  app.post(
    `${path}/probe`,
    {
      config: { exists: characterExists, writes: true, cost: { pays: "the turns" } },
      schema: {
        operationId: "probeCharacter",
        summary:
          "Play a few test turns with the character and look for contradictions. The cost is reserved in " +
          "advance, and what is not spent is returned",
        description:
          "It uses the engine that writes the replies on this server, named in `engine`. Follow it with " +
          "GET readiness, or by its trace_id in the list of runs.",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(ProbeData.extend(created), "budget_exceeded", "character_not_found", "character_archived")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { appId } = request.principal
            const character = yield* findCharacter(appId, request.params.slug)
            const { slug, version, status } = character
            if (status === "archived") return yield* characterArchived
            const { engine, model } = yield* Writer
            const characterBytes = Buffer.byteLength(JSON.stringify(character.profile))
            const reservedMicroUsd = probeMicroUsd(
              yield* Prices,
              yield* ConfiguredModels,
              SCRIPT.map(({ user }) => user),
              characterBytes
            )
            const probe = yield* Probes.use((probes) =>
              probes.begin(appId, slug, version, { engine, model, reservedMicroUsd })
            ).pipe(Effect.catchTag("NotAffordable", () => Effect.fail(workNotAffordable)))
            return success(toProbe(probe), [
              {
                command: curl(baseUrl(), "GET", `/v1/characters/${slug}/readiness`),
                description: "See the progress and the result"
              }
            ])
          })
        )
      )
  )
}
