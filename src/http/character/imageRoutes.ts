import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import { Images } from "#src/db/character/Images.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import { toImageResource } from "./imageResource.ts"
import { probeImages } from "./probeImages.ts"
import { ImageData, ImagePage, ImageProbeData, imageStatus } from "./imageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readPicture, serveContent } from "#src/http/server/showContent.ts"
import { imageNotFound } from "./pictureErrors.ts"

/** Pictures on demand: what became of them. They are asked for in src/http/conversation/imageRequestRoutes.ts. */
export const imageRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  const tags = ["Images"]
  const one = "/v1/images/:image_id"
  const params = z.object({ image_id: z.string() })

  const find = Effect.fnUntraced(function* (appId: string, id: string) {
    const image = isId("img", id) ? yield* Images.use((images) => images.get(appId, id)) : undefined
    return image ?? (yield* imageNotFound)
  })

  app.get(
    "/v1/images",
    {
      schema: {
        operationId: "listImages",
        summary: "List the app's images, newest first",
        tags,
        querystring: z.object({
          character_slug: z.string().max(200).optional(),
          session_id: z.string().max(64).optional(),
          status: imageStatus.optional(),
          ...listQuery
        }),
        response: answers(ImagePage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const {
            character_slug: characterSlug = null,
            session_id: sessionId = null,
            status = null,
            cursor,
            limit
          } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* Images.use((images) =>
            images.list(appId, { characterSlug, sessionId, status, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.image_id)
          return success({
            images: yield* Effect.forEach(items, (image) => toImageResource(baseUrl(), appId, image)),
            next_cursor
          })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getImage",
        summary: "Get an image and its status",
        tags,
        params,
        response: answers(ImageData, "image_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const image = yield* find(appId, request.params.image_id)
          return success(yield* toImageResource(baseUrl(), appId, image), [
            { command: curl(baseUrl(), "DELETE", `/v1/images/${image.image_id}`), description: "Delete the image" }
          ])
        })
      )
  )

  app.delete(
    one,
    {
      config: { writes: true },
      schema: {
        operationId: "deleteImage",
        summary: "Delete an image. Its URL stops working everywhere",
        tags,
        params,
        response: answers(ImageData, "image_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { image_id: id } = request.params
          const image = isId("img", id) ? yield* Images.use((images) => images.remove(appId, id)) : undefined
          return success({
            ...(yield* toImageResource(baseUrl(), appId, image ?? (yield* imageNotFound))),
            servable: false,
            image_url: null
          })
        })
      )
  )

  app.post(
    "/v1/images/probe",
    {
      config: { writes: true, cost: { pays: "the image" } },
      schema: {
        operationId: "probeImages",
        summary: "Test the image provider: generates one image and discards it, at the usual price",
        tags,
        response: answers(ImageProbeData, "budget_exceeded")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          return success(yield* probeImages(request.principal.appId))
        })
      )
  )

  app.get(
    `${one}/content`,
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: {
        operationId: "showImage",
        summary: "Get the file of an image by its signed URL (image_url). Use the whole URL, unchanged",
        ...INTERNAL,
        response: answersAs("image/*", z.string().describe("The picture"), "image_not_found", "upstream_failed")
      }
    },
    async (request, reply) => {
      const { image_id: id = "" } = request.params as Record<string, string>
      const { sig } = request.query as Record<string, unknown>
      const { mediaType, content } = await run(
        reply,
        Effect.gen(function* () {
          const appId = yield* ContentSignatures.use(({ appOf }) => appOf(id, typeof sig === "string" ? sig : ""))
          const image = appId === null ? undefined : yield* Images.use((images) => images.get(appId, id))
          if (appId === null || image?.status !== "ready" || image.object_key === null || image.media_type === null)
            return yield* imageNotFound
          const content = yield* readPicture(reply, appId, image.object_key, imageNotFound)
          return { mediaType: image.media_type, content }
        })
      )
      return serveContent(reply, mediaType, content)
    }
  )
}
