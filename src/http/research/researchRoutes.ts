import * as Effect from "effect/Effect"
import * as z from "zod"
import { Findings } from "#src/db/research/Findings.ts"
import { MAX_OPEN_RESEARCH, Research } from "#src/db/research/Research.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { rateLimited } from "#src/http/server/errors.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { findResearch } from "./findResearch.ts"
import { prepareSource } from "./prepareSource.ts"
import { toFinding, toResearchSummary } from "./researchResource.ts"
import { ResearchCreate, ResearchData, ResearchPage, researchStatus, ResearchSummary } from "./researchSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { workNotAffordable } from "#src/http/billing/billingErrors.ts"
import { characterExists } from "#src/http/character/characterExists.ts"
import { researchNotFound } from "./researchErrors.ts"

/** Runs that search sources for answers to a question about a character, and decisions about their findings. */
export const researchRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Research"]
  const list = "/v1/characters/:slug/research"
  const one = `${list}/:research_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ research_id: z.string() })
  const at = (slug: string, id: string) => `/v1/characters/${slug}/research/${id}`
  const following = (slug: string, id: string) => [
    { command: curl(baseUrl(), "GET", at(slug, id)), description: "See the findings" }
  ]

  app.get(
    list,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "listResearch",
        summary: "List the character's research runs, newest first",
        tags,
        params: ofCharacter,
        querystring: z.object({ status: researchStatus.optional(), ...listQuery }),
        response: answers(ResearchPage, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { appId } = request.principal
          const { status = null, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          yield* findCharacter(appId, slug)
          const rows = yield* Research.use((research) =>
            research.list({ appId, slug }, { status, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, ({ research_id }) => research_id)
          return success(
            { research: items.map(toResearchSummary), next_cursor },
            items.slice(0, 1).flatMap(({ research_id: id }) => following(slug, id))
          )
        })
      )
  )

  app.post(
    list,
    {
      config: { exists: characterExists, writes: true, cost: { pays: "reading the sources" } },
      schema: {
        operationId: "createResearch",
        summary:
          "Start research: reads sources to answer a question. Each finding has a " +
          "quote from a source, and changes nothing until it is accepted",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: ResearchCreate,
        response: answers(ResearchSummary.extend(created), "budget_exceeded", "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug } = request.params
            const { appId } = request.principal
            const { question, purpose, sources, max_cost_usd } = request.body
            yield* findCharacter(appId, slug)
            const prepared = yield* Effect.forEach(sources, prepareSource(appId, slug))
            const run = yield* Research.use((research) =>
              research.begin(
                { appId, slug },
                {
                  question,
                  purpose,
                  sources: prepared.map(({ source }) => source),
                  maxMicroUsd: Math.round(max_cost_usd * 1_000_000),
                  plannedMicroUsd: prepared.reduce((sum, { cost }) => sum + cost, 0)
                }
              )
            ).pipe(
              Effect.catchTags({
                NotAffordable: () => Effect.fail(workNotAffordable),
                TooMuchResearch: () =>
                  Effect.fail(
                    rateLimited(`The app has ${MAX_OPEN_RESEARCH} unfinished research runs, which is the limit.`)
                  )
              })
            )
            return success(toResearchSummary(run), following(slug, run.research_id))
          })
        )
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getResearch",
        summary: "Get a research run with its findings",
        tags,
        params,
        response: answers(ResearchData, "character_not_found", "research_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const run = yield* findResearch(appId, request.params)
          const { slug, research_id: id } = run
          const findings = yield* Findings.use((all) => all.ofRun({ appId, slug }, id))
          const open = findings.find(({ status }) => status === "proposed")
          return success(
            { ...toResearchSummary(run), findings: findings.map(toFinding) },
            open === undefined
              ? []
              : [
                  {
                    command: curl(baseUrl(), "POST", `${at(slug, id)}/findings/${open.finding_id}/accept`),
                    description: "Accept the finding"
                  }
                ]
          )
        })
      )
  )

  app.post(
    `${one}/cancel`,
    {
      config: { writes: true },
      schema: {
        operationId: "cancelResearch",
        summary: "Cancel a research run. A run that has ended does not change",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(ResearchSummary.extend(created), "character_not_found", "research_not_found")
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
            const { slug, research_id: id } = yield* findResearch(appId, request.params)
            const run = yield* Research.use((research) => research.cancel({ appId, slug }, id))
            if (run === undefined) return yield* researchNotFound
            return success(toResearchSummary(run), following(slug, id))
          })
        )
      )
  )
}
