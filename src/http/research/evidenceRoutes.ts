import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { recallQuery } from "#pipeline/retrieval/recallQuery.ts"
import { Evidence, type StoredEvidence } from "#src/db/research/Evidence.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { evidenceLimitReached, evidenceNotFound } from "./researchErrors.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import {
  EvidenceCreate,
  EvidenceData,
  EvidenceFound,
  evidenceKind,
  EvidencePage,
  EvidenceRetracted,
  EvidenceSearch,
  evidenceStatus
} from "./evidenceSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { about } from "#src/http/server/about.ts"
import { characterExists } from "#src/http/character/characterExists.ts"

const toResource = (slug: string) => (evidence: StoredEvidence) => ({
  id: evidence.evidence_id,
  character_slug: slug,
  kind: evidence.kind,
  text: evidence.text,
  source: { ...evidence.source, session_id: evidence.session_id },
  trust: evidence.trust,
  status: evidence.status,
  research_id: evidence.research_id,
  used_by: evidence.used_by,
  created_at: evidence.created_at.toISOString(),
  updated_at: evidence.updated_at.toISOString()
})

/** The given fields of a source. The others get defaults. */
const given = <A extends object>(fields: A): { [K in keyof A]: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof A]: Exclude<A[K], undefined>
  }

/** What sources say about a character. */
export const evidenceRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Research"]
  const list = "/v1/characters/:slug/evidence"
  const one = `${list}/:evidence_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ evidence_id: z.string() })
  const at = (slug: string) => `/v1/characters/${slug}/evidence`
  const searching = (slug: string) => [
    {
      command: curl(baseUrl(), "POST", `${at(slug)}/search`, { query: "lighthouse" }),
      description: "Search the evidence"
    }
  ]

  app.get(
    list,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "listEvidence",
        summary: "List the evidence about the character, newest first",
        tags,
        params: ofCharacter,
        querystring: z.object({ status: evidenceStatus.optional(), kind: evidenceKind.optional(), ...listQuery }),
        response: answers(EvidencePage, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { appId } = request.principal
          const { status = null, kind = null, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          yield* findCharacter(appId, slug)
          const rows = yield* Evidence.use((evidence) =>
            evidence.list({ appId, slug }, { status, kind, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, ({ evidence_id }) => evidence_id)
          return success({ evidence: items.map(toResource(slug)), next_cursor }, searching(slug))
        })
      )
  )

  app.post(
    list,
    {
      config: { exists: characterExists, writes: true },
      schema: {
        operationId: "createEvidence",
        summary:
          "Add evidence: what a source says about the character. Replies get " +
          "the passages that are relevant to the message, as quotes",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: EvidenceCreate,
        response: answers(
          EvidenceData.extend(created),
          "character_not_found",
          "session_not_found",
          "evidence_limit_reached"
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
            const { slug } = request.params
            const { appId } = request.principal
            const { source: { session_id, retrieved_at, ...source } = {}, ...fields } = request.body
            yield* findCharacter(appId, slug)
            if (session_id !== undefined) yield* findSession(appId, session_id).pipe(about("body.source.session_id"))
            const evidence = yield* Evidence.use((all) =>
              all.create(
                { appId, slug },
                {
                  ...fields,
                  sessionId: session_id ?? null,
                  researchId: null,
                  source: given({
                    ...source,
                    retrieved_at: retrieved_at === undefined ? undefined : new Date(retrieved_at).toISOString()
                  })
                }
              )
            ).pipe(Effect.catchTag("EvidenceLimitReached", () => Effect.fail(evidenceLimitReached)))
            return success(toResource(slug)(evidence), searching(slug))
          })
        )
      )
  )

  app.post(
    `${list}/search`,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "searchEvidence",
        summary: "Search evidence by words, best first. Only evidence that replies may use is searched",
        tags,
        params: ofCharacter,
        body: EvidenceSearch,
        response: answers(EvidenceFound, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { appId } = request.principal
          const { query, limit } = request.body
          yield* findCharacter(appId, slug)
          const found = yield* Evidence.use((evidence) =>
            evidence.search({ appId, slug }, { terms: recallQuery(query, []), leastShare: 0, limit })
          )
          return success({
            pieces: found.map(({ evidence_id, title, text, score }) => ({ evidence_id, title, text, score }))
          })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getEvidence",
        summary: "Get a piece of evidence",
        tags,
        params,
        response: answers(EvidenceData, "character_not_found", "evidence_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug, evidence_id: id } = request.params
          const { appId } = request.principal
          yield* findCharacter(appId, slug)
          const evidence = isId("evd", id) ? yield* Evidence.use((all) => all.get({ appId, slug }, id)) : undefined
          if (evidence === undefined) return yield* evidenceNotFound
          return success(
            toResource(slug)(evidence),
            evidence.status === "retracted"
              ? []
              : [{ command: curl(baseUrl(), "DELETE", `${at(slug)}/${id}`), description: "Retract it" }]
          )
        })
      )
  )

  app.delete(
    one,
    {
      config: { writes: true },
      schema: {
        operationId: "retractEvidence",
        summary:
          "Retract a piece of evidence. Replies no longer get it. " +
          "Returns the accepted findings that are based on it",
        tags,
        params,
        response: answers(EvidenceRetracted, "character_not_found", "evidence_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug, evidence_id: id } = request.params
          const { appId } = request.principal
          yield* findCharacter(appId, slug)
          const retracted = isId("evd", id) ? yield* Evidence.use((all) => all.retract({ appId, slug }, id)) : undefined
          if (retracted === undefined) return yield* evidenceNotFound
          return success(
            { ...toResource(slug)(retracted.evidence), dependents: retracted.dependents },
            retracted.dependents.slice(0, 1).flatMap(({ accepted_version: version }) =>
              version === null
                ? []
                : [
                    {
                      command: curl(baseUrl(), "POST", `/v1/characters/${slug}/versions/${version - 1}/restore`),
                      description: "Restore the version before the change"
                    }
                  ]
            )
          )
        })
      )
  )
}
