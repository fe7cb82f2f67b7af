import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { pictureRefusal } from "#pipeline/safety/pictures.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { type Image, Images } from "#src/db/character/Images.ts"
import { VisualIdentities } from "#src/db/character/VisualIdentities.ts"
import { MOST_REFERENCES_SENT, Painter } from "#src/model/Painter.ts"
import { Pictures } from "#src/pictures/Pictures.ts"
import { Storage } from "#src/storage/Storage.ts"
import { toUsd } from "#src/http/billing/caps.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { endUserCapExceeded, workNotAffordable } from "#src/http/billing/billingErrors.ts"
import { characterArchived } from "./characterErrors.ts"
import { imagePromptRejected, visualIdentityMissing, imageNotFound } from "./pictureErrors.ts"
import { sessionExited } from "#src/http/conversation/conversationErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findCharacter } from "./findCharacter.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created, publicAnswers } from "#src/http/server/schemas/answers.ts"
import { ImageCreate, ImageData, ImagePage, ImageProbeData, imageStatus } from "./imageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readContent, showContent } from "./showContent.ts"

const PROBE = "A single green leaf on a white background."

/** Pictures on demand. */
export const imageRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  const tags = ["Images"]
  const one = "/v1/images/:image_id"
  const params = z.object({ image_id: z.string() })

  const toResource = Effect.fnUntraced(function* (appId: string, image: Image) {
    const { priceMicroUsd } = yield* Painter
    const signatures = yield* ContentSignatures
    const servable = image.status === "ready"
    return {
      image_request_id: image.image_id,
      trace_id: image.run_ref,
      character_slug: image.character_slug,
      session_id: image.session_id,
      turn_id: image.turn_ref,
      kind: image.kind,
      prompt: image.prompt,
      caption: image.caption,
      size: image.size,
      deliver: image.deliver,
      status: image.status,
      servable,
      error_code: image.error_code,
      estimate_usd: toUsd(priceMicroUsd(image.size)),
      engine: image.engine,
      model: image.model,
      visible_description: image.visible_description,
      image_url: servable
        ? `${baseUrl()}/v1/images/${image.image_id}/content?sig=${signatures.sign(appId, image.image_id)}`
        : null,
      media_type: image.media_type,
      width: image.width,
      height: image.height,
      created_at: image.created_at.toISOString(),
      finished_at: image.finished_at?.toISOString() ?? null
    }
  })
  const next = ({ image_id: id }: Image) => [
    { command: curl(baseUrl(), "GET", `/v1/images/${id}`), description: "See how far it is" }
  ]
  const find = Effect.fnUntraced(function* (appId: string, id: string) {
    const image = isId("img", id) ? yield* Images.use((images) => images.get(appId, id)) : undefined
    return image ?? (yield* imageNotFound)
  })
  /** Why it is not paid for. */
  const unpaid = { budget: workNotAffordable, cap: endUserCapExceeded } as const

  app.post(
    "/v1/images",
    {
      config: { writes: true },
      schema: {
        operationId: "createImage",
        summary: "Have a picture of a character made",
        tags,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: ImageCreate,
        response: answers(ImageData.extend(created), 402, 404, 409, 413)
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
            const {
              character_slug: characterSlug,
              session_id,
              kind,
              prompt = null,
              caption = null,
              size,
              deliver
            } = request.body
            const character = yield* findCharacter(appId, characterSlug)
            const session = session_id === undefined ? null : yield* findSession(appId, session_id)
            if (session !== null && session.character_slug !== characterSlug)
              return yield* validationError("body.session_id: Must be a session of this character")
            if (deliver && session === null)
              return yield* validationError("body.session_id: Required, where it is to be delivered")
            if (character.status === "archived") return yield* characterArchived
            if (deliver && session?.status !== "active") return yield* sessionExited

            const identity = yield* VisualIdentities.use((identities) => identities.get(appId, characterSlug))
            const painter = yield* Painter
            const references = painter.takesReferences
              ? Math.min(MOST_REFERENCES_SENT, identity?.identity.reference_asset_ids.length ?? 0)
              : 0
            const priceMicroUsd = painter.priceMicroUsd(size, references)
            const payer = { appId, sessionId: session?.session_id ?? null }
            const objection = yield* Expenses.use((expenses) => expenses.objection(payer, "image", priceMicroUsd))
            if (objection !== null) return yield* unpaid[objection]

            const {
              safety: { age_band: ageBand }
            } = yield* CharacterVersions.use((versions) => versions.get(appId, characterSlug, character.version))
            const refusal = pictureRefusal({ kind, words: [prompt ?? "", caption ?? ""], ageBand })
            if (refusal !== null) return yield* imagePromptRejected(refusal)
            if (prompt === null && (kind === "selfie" || kind === "scene"))
              return yield* validationError("body.prompt: Required, for a selfie or a scene")
            if (kind !== "scene" && (identity?.identity.appearance ?? "") === "") return yield* visualIdentityMissing

            const image = yield* Images.use((images) =>
              images.request(appId, {
                characterSlug,
                sessionId: payer.sessionId,
                kind,
                prompt,
                caption,
                size,
                deliver,
                priceMicroUsd
              })
            )
            // Others have spent it in between.
            if (image === null)
              return yield* unpaid[
                (yield* Expenses.use((expenses) => expenses.objection(payer, "image", priceMicroUsd))) ?? "budget"
              ]
            return success(yield* toResource(appId, image), next(image))
          })
        )
      )
  )

  app.get(
    "/v1/images",
    {
      schema: {
        operationId: "listImages",
        summary: "The app's images, newest first",
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
          return success({ images: yield* Effect.forEach(items, (image) => toResource(appId, image)), next_cursor })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getImage",
        summary: "One image, and how far it is",
        tags,
        params,
        response: answers(ImageData, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const image = yield* find(appId, request.params.image_id)
          return success(yield* toResource(appId, image), [
            { command: curl(baseUrl(), "DELETE", `/v1/images/${image.image_id}`), description: "Delete it" }
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
        summary: "Delete an image; its address shows nothing any more, wherever it stands",
        tags,
        params,
        response: answers(ImageData, 404)
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
            ...(yield* toResource(appId, image ?? (yield* imageNotFound))),
            servable: false,
            image_url: null
          })
        })
      )
  )

  app.post(
    "/v1/images/probe",
    {
      config: { writes: true },
      schema: {
        operationId: "probeImages",
        summary: "Have one picture made and thrown away, to see whether the provider answers; it costs as much as any",
        tags,
        response: answers(ImageProbeData, 402)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { engine, model, priceMicroUsd, paint } = yield* Painter
          const { kind: storage } = yield* Storage
          const expenses = yield* Expenses
          const payer = { appId: request.principal.appId, sessionId: null }
          const expense = yield* expenses.take(payer, "probe", priceMicroUsd("square"))
          if (expense === null) return yield* workNotAffordable
          const begunAt = yield* Clock.currentTimeMillis
          const error_code = yield* paint({
            prompt: PROBE,
            size: "square",
            name: "Probe",
            seed: "probe",
            modelSeed: null,
            references: []
          }).pipe(
            Effect.flatMap((painted) => Pictures.use((pictures) => pictures.clean(painted))),
            Effect.as(null),
            Effect.catchTags({
              NotPainted: ({ code }) => Effect.succeed(code),
              PictureRefused: () => Effect.succeed("bad_image")
            })
          )
          if (error_code !== null) yield* expenses.giveBack(expense)
          return success({
            status: error_code === null ? "ok" : "failed",
            engine,
            model,
            storage,
            error_code,
            latency_ms: (yield* Clock.currentTimeMillis) - begunAt,
            cost_usd: error_code === null ? toUsd(expense.microUsd) : 0
          })
        })
      )
  )

  app.get(
    `${one}/content`,
    {
      config: { public: true, uncounted: true },
      schema: {
        operationId: "showImage",
        summary: "A picture, by the signed address in image_url; take that whole",
        ...INTERNAL,
        response: publicAnswers("image/*", z.string().describe("The picture"), 404, 502, 503)
      }
    },
    async (request, reply) => {
      const { image_id: id = "" } = request.params as Record<string, string>
      const { sig } = request.query as Record<string, unknown>
      const { mediaType, content } = await run(
        reply,
        Effect.gen(function* () {
          const appId = (yield* ContentSignatures).appOf(id, typeof sig === "string" ? sig : "")
          const image = appId === null ? undefined : yield* Images.use((images) => images.get(appId, id))
          if (image === undefined || image.status !== "ready" || image.object_key === null || image.media_type === null)
            return yield* imageNotFound
          return { mediaType: image.media_type, content: yield* readContent(image.object_key, imageNotFound) }
        })
      )
      return showContent(reply, mediaType, content)
    }
  )
}
