import * as Effect from "effect/Effect"
import * as z from "zod"
import { Pages, PAGE_MAX_CHARS } from "#channels/outbound/Pages.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { chunk } from "#pipeline/evidence/chunk.ts"
import { type Change, isChangePath, mergePatchFor } from "#pipeline/research/Change.ts"
import { Evidence } from "#src/db/research/Evidence.ts"
import { Findings, type FindingRefused, type StoredFinding } from "#src/db/research/Findings.ts"
import { MOST_OPEN_RESEARCH, type NewSource, Research, type StoredResearch } from "#src/db/research/Research.ts"
import { Prices } from "#src/model/prices.ts"
import { ModelCast, PART_CHARS, readingMicroUsd } from "#src/model/reservation.ts"
import { toUsd } from "#src/http/billing/caps.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { workNotAffordable } from "#src/http/billing/billingErrors.ts"
import {
  evidenceRetracted,
  findingAccepted,
  researchNotFinished,
  researchNotFound,
  findingNotFound
} from "./researchErrors.ts"
import { rateLimited, validationError, versionConflict } from "#src/http/server/errors.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { patched } from "#src/http/character/patched.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import {
  FindingAccept,
  FindingData,
  ResearchCreate,
  ResearchData,
  ResearchPage,
  researchStatus,
  ResearchSummary
} from "./researchSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists } from "#src/http/character/characterExists.ts"
import { findingExists } from "./researchExists.ts"

const iso = (time: Date | string | null) => (time === null ? null : new Date(time).toISOString())

const toFinding = (finding: StoredFinding) => ({
  id: finding.finding_id,
  research_id: finding.research_id,
  claim: finding.claim,
  confidence: finding.confidence,
  evidence_ids: finding.quotes.map(({ evidence_id }) => evidence_id),
  quotes: finding.quotes,
  proposed_change: finding.proposed_change,
  status: finding.status,
  accepted_version: finding.accepted_version,
  created_at: iso(finding.created_at),
  decided_at: iso(finding.decided_at)
})

const toSummary = (run: StoredResearch) => ({
  id: run.research_id,
  character_slug: run.slug,
  trace_id: run.run_ref,
  question: run.question,
  purpose: run.purpose,
  status: run.status,
  progress: {
    sources: run.sources.map(({ kind, url, evidence_id, title, status, parts_read, parts, error_code }) => ({
      kind,
      url,
      evidence_id,
      title,
      status,
      parts_read,
      parts,
      error_code
    })),
    sources_done: run.sources.filter(({ status }) => status !== "queued").length,
    sources_total: run.sources.length,
    findings: run.found
  },
  max_cost_usd: toUsd(run.max_micro_usd),
  cost_usd: toUsd(run.spent_micro_usd),
  error_code: run.error_code,
  created_at: iso(run.created_at),
  started_at: iso(run.started_at),
  finished_at: iso(run.finished_at)
})

const partsOf = (text: string) => chunk(text, PART_CHARS)

/** A source as it is read, with what reading it may cost; 422 says what is wrong with it. */
const prepare = (appId: string, slug: string) =>
  Effect.fnUntraced(function* (
    { kind, text, evidence_id, url }: z.output<typeof ResearchCreate>["sources"][number],
    place: number
  ) {
    const none: NewSource = { kind, url: null, evidenceId: null, text: null, parts: null }
    const [prices, cast] = [yield* Prices, yield* ModelCast]
    const costOf = (whole: string) =>
      partsOf(whole).reduce((sum, part) => sum + readingMicroUsd(prices, cast, part.text), 0)
    if (text !== undefined) return { source: { ...none, text, parts: partsOf(text).length }, cost: costOf(text) }
    if (url !== undefined) {
      const address = yield* Pages.use((pages) => pages.check(url)).pipe(
        Effect.catchTag("UrlRejected", ({ message, fix }) =>
          Effect.fail(validationError(`body.sources[${place}].url: ${message}`, fix))
        )
      )
      if (address === null)
        return yield* validationError(
          `body.sources[${place}].url: is of no host that pages may be read from here`,
          "Send the text itself, or have the operator of this server name the host in RESEARCH_HOSTS."
        )
      return {
        source: { ...none, url: address.href },
        cost: Math.ceil(PAGE_MAX_CHARS / PART_CHARS) * readingMicroUsd(prices, cast, "x".repeat(PART_CHARS))
      }
    }
    const id = evidence_id ?? ""
    const evidence = isId("evd", id) ? yield* Evidence.use((all) => all.get({ appId, slug }, id)) : undefined
    if (evidence === undefined || evidence.status === "retracted")
      return yield* validationError(`body.sources[${place}].evidence_id: is no evidence of this character that holds`)
    return { source: { ...none, evidenceId: id, parts: partsOf(evidence.text).length }, cost: costOf(evidence.text) }
  })

const REFUSALS = { unfinished: researchNotFinished, accepted: findingAccepted, retracted: evidenceRetracted } as const
const refusal = ({ reason }: FindingRefused) => Effect.fail(REFUSALS[reason])

/** Runs that read sources for what answers a question about a character, and what becomes of what they find. */
export const researchRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Research"]
  const list = "/v1/characters/:slug/research"
  const one = `${list}/:research_id`
  const finding = `${one}/findings/:finding_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ research_id: z.string() })
  const ofFinding = params.extend({ finding_id: z.string() })
  const at = (slug: string, id: string) => `/v1/characters/${slug}/research/${id}`
  const following = (slug: string, id: string) => [
    { command: curl(baseUrl(), "GET", at(slug, id)), description: "See what it finds" }
  ]
  const find = (appId: string, { slug, research_id: id }: z.output<typeof params>) =>
    Effect.gen(function* () {
      yield* findCharacter(appId, slug)
      const run = isId("rsr", id) ? yield* Research.use((research) => research.get({ appId, slug }, id)) : undefined
      return run ?? (yield* researchNotFound)
    })

  app.get(
    list,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "listResearch",
        summary: "The runs that read sources for the character, newest first",
        tags,
        params: ofCharacter,
        querystring: z.object({ status: researchStatus.optional(), ...listQuery }),
        response: answers(ResearchPage, 404)
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
            { research: items.map(toSummary), next_cursor },
            items.slice(0, 1).flatMap(({ research_id: id }) => following(slug, id))
          )
        })
      )
  )

  app.post(
    list,
    {
      config: { exists: characterExists, writes: true },
      schema: {
        operationId: "createResearch",
        summary:
          "Have sources read for what answers a question; each finding comes with a quote that stands in a " +
          "source, and changes nothing until it is accepted",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: ResearchCreate,
        response: answers(ResearchSummary.extend(created), 402, 404, 413)
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
            const prepared = yield* Effect.forEach(sources, prepare(appId, slug))
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
                    rateLimited(
                      `The app has ${MOST_OPEN_RESEARCH} runs of research that have not ended, which is as many ` +
                        `as it may have.`
                    )
                  )
              })
            )
            return success(toSummary(run), following(slug, run.research_id))
          })
        )
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getResearch",
        summary: "One run, with what it has found",
        tags,
        params,
        response: answers(ResearchData, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const run = yield* find(appId, request.params)
          const { slug, research_id: id } = run
          const findings = yield* Findings.use((all) => all.ofRun({ appId, slug }, id))
          const open = findings.find(({ status }) => status === "proposed")
          return success(
            { ...toSummary(run), findings: findings.map(toFinding) },
            open === undefined
              ? []
              : [
                  {
                    command: curl(baseUrl(), "POST", `${at(slug, id)}/findings/${open.finding_id}/accept`),
                    description: "Make it part of the character"
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
        summary: "End a run where it is; one that has ended stays as it ended",
        tags,
        params,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(ResearchSummary.extend(created), 404)
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
            const { slug, research_id: id } = yield* find(appId, request.params)
            const run = yield* Research.use((research) => research.cancel({ appId, slug }, id))
            if (run === undefined) return yield* researchNotFound
            return success(toSummary(run), following(slug, id))
          })
        )
      )
  )

  app.post(
    `${finding}/accept`,
    {
      config: { exists: findingExists, writes: true },
      schema: {
        operationId: "acceptFinding",
        summary:
          "Accept a finding: its change becomes a version of the character that says so, and replies may use " +
          "what it rests on",
        description: "One without a change is accepted as it is, unless the body has a change for it.",
        tags,
        params: ofFinding,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: FindingAccept,
        response: answers(FindingData.extend(created), 404, 409, 413)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, research_id: id, finding_id: findingId } = request.params
            const { appId } = request.principal
            yield* find(appId, request.params)
            const apply = (profile: object, change: Change) =>
              isChangePath(change.path)
                ? patched(slug, profile, mergePatchFor(profile, change.path, change))
                : Effect.fail(
                    validationError(`body.proposed_change.path: ${change.path} is no place that a finding may change`)
                  )
            const accepted = isId("fnd", findingId)
              ? yield* Findings.use((findings) =>
                  findings.accept({ appId, slug }, id, findingId, request.body?.proposed_change ?? null, apply)
                ).pipe(
                  Effect.catchTags({
                    FindingRefused: refusal,
                    VersionConflict: ({ current }) => Effect.fail(versionConflict("character", current))
                  })
                )
              : undefined
            if (accepted === undefined) return yield* findingNotFound
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
        params: ofFinding,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(FindingData.extend(created), 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, research_id: id, finding_id: findingId } = request.params
            const { appId } = request.principal
            yield* find(appId, request.params)
            const rejected = isId("fnd", findingId)
              ? yield* Findings.use((findings) => findings.reject({ appId, slug }, id, findingId)).pipe(
                  Effect.catchTag("FindingRefused", refusal)
                )
              : undefined
            if (rejected === undefined) return yield* findingNotFound
            return success(toFinding(rejected))
          })
        )
      )
  )
}
