import * as Effect from "effect/Effect"
import * as z from "zod"
import { toImageResource } from "#src/http/character/imageResource.ts"
import { ImageCreate, ImageData } from "#src/http/character/imageSchemas.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { requestImage } from "./requestImage.ts"

/** A picture is asked for like a turn: its session, where it has one, must be there and says who pays. */
export const imageRequestRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.post(
    "/v1/images",
    {
      config: { writes: true, cost: { pays: "the image" } },
      schema: {
        operationId: "createImage",
        summary: "Generate an image of a character",
        tags: ["Images"],
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: ImageCreate,
        response: answers(
          ImageData.extend(created),
          "budget_exceeded",
          "end_user_cap_exceeded",
          "character_not_found",
          "session_not_found",
          "character_archived",
          "session_exited",
          "visual_identity_missing",
          "image_prompt_rejected"
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
            const { appId } = request.principal
            const image = yield* requestImage(appId, request.body)
            return success(yield* toImageResource(baseUrl(), appId, image), [
              {
                command: curl(baseUrl(), "GET", `/v1/images/${image.image_id}`),
                description: "See the status of the image"
              }
            ])
          })
        )
      )
  )
}
