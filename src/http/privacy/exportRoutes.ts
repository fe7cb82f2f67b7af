import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Readable } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"
import { CurrentActor } from "#src/accounts/Actor.ts"
import type { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { Exports } from "#src/db/privacy/Exports.ts"
import type { Export } from "#src/db/privacy/exportStatements.ts"
import { readContent } from "#src/http/server/showContent.ts"
import { actorOf } from "#src/http/server/makeAnswer.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answersAs, withData } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ExportData } from "./endUserSchemas.ts"
import { isExternalUserRef } from "./externalUserRef.ts"
import { endUserNotFound, exportFailed, exportLimitReached } from "./privacyErrors.ts"

/** `Retry-After` while the export is prepared. */
const ASK_AGAIN_SECONDS = 2
/** `Retry-After` while the app has its maximum number of exports. */
const LIMITED_SECONDS = 60

const exportOf = Effect.fnUntraced(function* (request: FastifyRequest, ref: string) {
  const found = isExternalUserRef(ref)
    ? yield* Exports.use((exports) => exports.request(request.principal.appId, ref)).pipe(
        Effect.catchTag("ExportsLimited", () => Effect.fail(exportLimitReached.after(LIMITED_SECONDS)))
      )
    : undefined
  if (found === undefined) return yield* endUserNotFound
  if (found.status !== "failed") return found
  const leftMs = (found.expires_at?.getTime() ?? 0) - (yield* Clock.currentTimeMillis)
  return yield* exportFailed
    .saying(`The export failed: ${found.error_code}.`)
    .after(Math.max(1, Math.ceil(leftMs / 1000)))
})

/** The export, and a reader of its parts if the ZIP is ready. */
const opened = Effect.fnUntraced(function* (request: FastifyRequest, ref: string) {
  const found = yield* exportOf(request, ref)
  const [first = "", ...others] = found.object_keys
  if (found.status !== "ready") return { found, content: null }
  const read = Effect.runPromiseWith(yield* Effect.context<StoredObjects>())
  // Read the first part before the response starts: if the storage is down, the client gets an error, not half a file.
  const beginning = yield* readContent(first, exportFailed)
  async function* content() {
    yield beginning
    for (const key of others) yield await read(readContent(key, exportFailed))
  }
  return { found, content }
})

const toResource = ({ export_id, external_user_ref, created_at }: Export) => ({
  export_id,
  external_user_ref,
  status: "preparing",
  created_at: created_at.toISOString()
})

/** The export of a person's data as a ZIP. */
export const exportRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  app.get(
    "/v1/end-users/:external_user_ref/export",
    {
      config: { demo: true, cost: { reads: 1 } },
      schema: {
        operationId: "exportEndUser",
        summary:
          "Export all data of an end-user as a ZIP. Returns 202 while " +
          "the export is prepared, then the file for an hour",
        description:
          "The first request starts the export. Repeat it after Retry-After until the " +
          "status is 200. The ZIP contains the data at the time when it was made.",
        tags: ["End-users"],
        params: z.object({ external_user_ref: z.string() }),
        response: {
          ...answersAs(
            "application/zip",
            z.string().describe("The ZIP"),
            "end_user_not_found",
            "export_limit_reached",
            "export_failed",
            "upstream_failed"
          ),
          202: withData(ExportData).describe("The export is being prepared. Repeat the request after Retry-After")
        }
      }
    },
    async (request, reply: FastifyReply) => {
      const { external_user_ref: ref } = request.params as { external_user_ref: string }
      const { found, content } = await run(
        reply,
        OpenReads.use((reads) => reads.whileOpen(readerOf(request), 0, opened(request, ref))).pipe(
          Effect.provideService(CurrentActor, actorOf(request))
        )
      )
      if (content === null) {
        const again = curl(baseUrl(), "GET", `/v1/end-users/${encodeURIComponent(ref)}/export`)
        reply.code(202).header("retry-after", String(ASK_AGAIN_SECONDS))
        return answer(
          request,
          reply,
          Effect.succeed(
            success(toResource(found), [{ command: again, description: "Check again, or download the export" }])
          )
        )
      }
      return reply
        .headers({
          "content-type": "application/zip",
          "content-length": String(found.size_bytes),
          "content-disposition": `attachment; filename="${found.export_id}.zip"`,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff"
        })
        .send(Readable.from(content(), { objectMode: false }))
    }
  )
}
