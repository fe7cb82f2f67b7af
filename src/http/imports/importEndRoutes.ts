import * as Effect from "effect/Effect"
import * as z from "zod"
import { Imports } from "#src/db/character/Imports.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { preparePictures } from "./attachPictures.ts"
import { commitImport } from "./commitImport.ts"
import { findImport, refuseClosed } from "./findImport.ts"
import { importNotFound } from "./importErrors.ts"
import { importExists } from "./importExists.ts"
import { toImportSummary } from "./importResource.ts"
import { ImportCommit, ImportCommitted, ImportData } from "./importSchemas.ts"
import { shownImport } from "./shownImport.ts"

/** How an import ends: as a character, or discarded. */
export const importEndRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Imports"]
  const one = "/v1/imports/:import_id"
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const params = z.object({ import_id: z.string() })

  app.post(
    `${one}/commit`,
    {
      config: { demo: true, exists: importExists, writes: true },
      schema: {
        operationId: "commitImport",
        summary:
          "Commit an import that is ready: creates a character, or a new " +
          "version of one. A repeated commit returns the same result",
        tags,
        params,
        headers,
        body: ImportCommit,
        response: answers(
          ImportCommitted.extend(created),
          "demo_quota_exceeded",
          "character_not_found",
          "import_not_found",
          "asset_limit_reached",
          "evidence_limit_reached",
          "import_expired",
          "import_hash_mismatch",
          "import_not_ready",
          "slug_taken",
          "version_conflict",
          "world_limit_reached",
          "upstream_failed"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId, kind } = request.principal
          const staged = yield* findImport(appId, request.params.import_id)
          const { import_id: id, status, content_hash: hash } = staged
          const isDue = status === "ready" && hash === request.body.content_hash
          const pictures = kind === "demo" ? null : isDue ? yield* preparePictures(appId, staged) : []
          return yield* createOnce(
            request,
            Effect.gen(function* () {
              const { stored, character, again } = yield* commitImport(appId, id, request.body, pictures).pipe(
                Effect.catchTag("ImportClosed", refuseClosed)
              )
              return {
                ...success(
                  {
                    ...toImportSummary(stored),
                    character,
                    dropped: stored.report.dropped,
                    ...(again && { idempotent_replay: true })
                  },
                  [
                    {
                      command: curl(baseUrl(), "POST", "/v1/sessions", {
                        character_slug: character.slug,
                        external_user_ref: "user-1"
                      }),
                      description: "Open a session with this character"
                    }
                  ]
                ),
                ignored: stored.mode === "update" && request.body.slug !== undefined ? ["slug"] : []
              }
            })
          )
        })
      )
  )

  app.post(
    `${one}/discard`,
    {
      config: { demo: true, exists: importExists, writes: true },
      schema: {
        operationId: "discardImport",
        summary: "Discard an import. Its content is deleted",
        tags,
        params,
        headers,
        response: answers(ImportData.extend(created), "import_not_found", "import_expired", "import_not_ready")
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
            const { import_id: id } = yield* findImport(appId, request.params.import_id)
            const stored = yield* Imports.use((imports) => imports.discard(appId, id)).pipe(
              Effect.catchTag("ImportClosed", refuseClosed)
            )
            return success(yield* shownImport(appId, stored ?? (yield* importNotFound)))
          })
        )
      )
  )
}
