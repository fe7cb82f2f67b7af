import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { pipeline } from "node:stream"
import * as z from "zod"
import { Imports } from "#src/db/character/Imports.ts"
import { success } from "#src/http/server/envelope.ts"
import { limitBytes } from "#src/http/server/body/limitBytes.ts"
import { demoBodyTooLarge } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { findImport, refuseClosed, targetOf } from "./findImport.ts"
import { importActions } from "./importActions.ts"
import { toImportSummary } from "./importResource.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { LARGE_BYTES } from "#src/http/server/body/LargeBodies.ts"
import { UnreadBody } from "#src/http/server/body/parsing.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { MAX_OPEN, requireImportCapacity } from "./importCapacity.ts"
import { ImportCreate, ImportData, ImportPage, ImportPatch } from "./importSchemas.ts"
import { stageOnThread } from "./onImportThread.ts"
import { recordFailure } from "./recordFailure.ts"
import { reviseImport } from "./reviseImport.ts"
import { shownImport } from "./shownImport.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterNotFound } from "#src/http/character/characterErrors.ts"
import { importLimitReached, importNotFound } from "./importErrors.ts"
import { sayFound } from "#src/http/server/body/sayFound.ts"
import { importExists } from "./importExists.ts"

/** Base64 of the largest file, plus room for the other fields. */
const BODY_LIMIT_BYTES = 14 * 1024 * 1024

export const importRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  const tags = ["Imports"]
  const one = "/v1/imports/:import_id"
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const params = z.object({ import_id: z.string() })

  app.post(
    "/v1/imports",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { demo: true, writes: true, readsBody: true },
      onRequest: (request: FastifyRequest, reply: FastifyReply) => run(reply, requireImportCapacity(request)),
      preParsing: (request, _, payload, done) => {
        if (request.principal.kind !== "demo") return done(null, payload)
        return done(
          null,
          pipeline(
            payload,
            limitBytes(LARGE_BYTES, () => demoBodyTooLarge(LARGE_BYTES)),
            () => {}
          )
        )
      },
      onError: (request, reply, error) => run(reply, recordFailure(request, error)),
      // Validation runs on a thread (stageImport).
      validatorCompiler: () => (value: unknown) => ({ value }),
      schema: {
        operationId: "createImport",
        summary: "Stage a character from a file, for review before it is created",
        description:
          "Accepts character cards of version 1, 2 and 3 (JSON or PNG), CharX, " +
          "lorebooks and world info, elizaOS characters, and bundles of this " +
          "service. Nothing that the file refers to is fetched or executed.",
        tags,
        headers,
        body: ImportCreate,
        response: answers(ImportData.extend(created), "character_not_found", "import_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId, kind } = request.principal
          const body: unknown = request.body
          const bytes = body instanceof UnreadBody ? body.bytes : Buffer.alloc(0)
          const { staged, mode, targetSlug, filename, ignored, hash } = yield* stageOnThread(appId, bytes)
          if (mode === "update" && (yield* targetOf(appId, targetSlug)) === undefined)
            return yield* sayFound(characterNotFound.about("body.target_slug"), { body: { target_slug: targetSlug } })
          return yield* createOnce(
            request,
            Effect.gen(function* () {
              const stored = yield* Imports.use((imports) =>
                imports.stage(appId, { ...staged, mode, targetSlug, filename, mostOpen: MAX_OPEN[kind] })
              ).pipe(Effect.catchTag("TooManyImports", () => Effect.fail(importLimitReached)))
              return { ...success(yield* shownImport(appId, stored), importActions(baseUrl(), stored)), ignored }
            }),
            Buffer.from(hash)
          )
        })
      )
  )

  app.get(
    "/v1/imports",
    {
      config: { demo: true },
      schema: {
        operationId: "listImports",
        summary: "List the app's imports, newest first",
        tags,
        querystring: z.object({
          status: z.enum(["needs_review", "ready", "committed", "discarded", "expired"]).optional(),
          ...listQuery
        }),
        response: answers(ImportPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { status = null, cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* Imports.use((imports) =>
            imports.list(request.principal.appId, { status, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.import_id)
          return success({ imports: items.map(toImportSummary), next_cursor })
        })
      )
  )

  app.get(
    one,
    {
      config: { demo: true },
      schema: {
        operationId: "getImport",
        summary: "Get an import: the parsed content, and what to review",
        tags,
        params,
        response: answers(ImportData, "import_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const stored = yield* findImport(request.principal.appId, request.params.import_id)
          return success(yield* shownImport(request.principal.appId, stored), importActions(baseUrl(), stored))
        })
      )
  )

  app.patch(
    one,
    {
      config: { demo: true, exists: importExists, writes: true },
      schema: {
        operationId: "updateImport",
        summary: "Edit an import, or accept its warnings. Changing the bundle changes content_hash",
        tags,
        params,
        body: ImportPatch,
        response: answers(ImportData.extend(written), "import_not_found", "import_expired", "import_not_ready")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { import_id: id } = yield* findImport(appId, request.params.import_id)
          const { set = {}, drop = [], accept_warnings: accepting = [] } = request.body
          const stored = yield* Imports.use((imports) =>
            imports.revise(appId, id, (open) => reviseImport(appId, open, { set, drop, accepting }))
          ).pipe(Effect.catchTag("ImportClosed", refuseClosed))
          if (stored === undefined) return yield* importNotFound
          const ignored = accepting.flatMap((code, index) =>
            stored.accepted_warnings.includes(code) ? [] : [`accept_warnings[${index}]`]
          )
          return { ...success(yield* shownImport(appId, stored), importActions(baseUrl(), stored)), ignored }
        })
      )
  )
}
