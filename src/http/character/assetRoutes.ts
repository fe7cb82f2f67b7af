import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type Asset, ASSET_KINDS, Assets, MAX_ASSETS } from "#src/db/character/Assets.ts"
import { ContentSignatures } from "#src/db/character/ContentSignatures.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { assetLimitReached, assetTooLarge, assetTypeUnsupported, assetNotFound } from "./pictureErrors.ts"
import { validationError, storageUnavailable } from "#src/http/server/errors.ts"
import { findCharacter } from "./findCharacter.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created, answersAs, written } from "#src/http/server/schemas/answers.ts"
import { AssetCreate, AssetData, AssetPage, AssetPatch } from "./assetSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { readPicture, serveContent } from "#src/http/server/showContent.ts"
import { characterExists } from "./characterExists.ts"
import { assetExists } from "./pictureExists.ts"

const MAX_BYTES = 5 * 1024 * 1024
/** Base64 adds a third, and there is room for the other fields. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024

const decode = Effect.fnUntraced(function* (base64: string) {
  const bytes = Buffer.from(base64, "base64")
  if (bytes.toString("base64") !== base64)
    return yield* validationError("body.content_base64: Must be base64, padded and without line breaks")
  if (bytes.length === 0) return yield* validationError("body.content_base64: Must not be empty")
  return bytes.length > MAX_BYTES ? yield* assetTooLarge.about("body.content_base64") : bytes
})

/** The pictures of a character. */
export const assetRoutes: Routes = ({ app, answer, run, baseUrl }) => {
  const tags = ["Visual assets"]
  const list = "/v1/characters/:slug/assets"
  const one = `${list}/:asset_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ asset_id: z.string() })

  const toResource =
    (appId: string, signatures: { readonly sign: (appId: string, id: string) => string }) => (asset: Asset) => ({
      id: asset.asset_id,
      character_slug: asset.character_slug,
      kind: asset.kind,
      label: asset.label,
      is_primary: asset.is_primary,
      status: "ready",
      media_type: asset.media_type,
      width: asset.width,
      height: asset.height,
      size_bytes: asset.size_bytes,
      content_url: `${baseUrl()}/v1/assets/${asset.asset_id}/content?sig=${signatures.sign(appId, asset.asset_id)}`,
      created_at: asset.created_at.toISOString(),
      updated_at: asset.updated_at.toISOString()
    })
  const shown = (appId: string, asset: Asset) =>
    Effect.map(ContentSignatures, (signatures) =>
      success(toResource(appId, signatures)(asset), [
        {
          command: curl(baseUrl(), "DELETE", `/v1/characters/${asset.character_slug}/assets/${asset.asset_id}`),
          description: "Delete the picture"
        }
      ])
    )
  app.get(
    list,
    {
      config: { exists: characterExists },
      schema: {
        operationId: "listAssets",
        summary: "List the character's pictures, newest first",
        tags,
        params: ofCharacter,
        querystring: z.object({ kind: z.enum(ASSET_KINDS).optional(), ...listQuery }),
        response: answers(AssetPage, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug } = request.params
          const { kind = null, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          yield* findCharacter(appId, slug)
          const rows = yield* Assets.use((assets) => assets.list(appId, slug, { kind, before, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.asset_id)
          return success({ assets: items.map(toResource(appId, yield* ContentSignatures)), next_cursor })
        })
      )
  )

  app.post(
    list,
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { exists: characterExists, writes: true, tooLarge: assetTooLarge },
      schema: {
        operationId: "createAsset",
        summary: "Add a picture to the character",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: AssetCreate,
        response: answers(
          AssetData.extend(created),
          "character_not_found",
          "asset_limit_reached",
          "asset_too_large",
          "asset_type_unsupported",
          "upstream_failed"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug } = request.params
          const { kind, label, is_primary: isPrimary, content_base64 } = request.body
          yield* findCharacter(appId, slug)
          const assets = yield* Assets
          // Before the transaction of the create: if the process dies in between, the sweep removes the object.
          const picture = yield* Effect.flatMap(decode(content_base64), (bytes) => assets.prepare(appId, bytes)).pipe(
            Effect.catchTags({
              PictureRefused: ({ problem }) => Effect.fail(assetTypeUnsupported(problem).about("body.content_base64")),
              StorageError: () => Effect.fail(storageUnavailable)
            })
          )
          return yield* createOnce(
            request,
            assets.create(appId, slug, { kind, label, isPrimary }, picture).pipe(
              Effect.catchTag("TooManyAssets", () => Effect.fail(assetLimitReached(MAX_ASSETS))),
              Effect.flatMap((asset) => shown(appId, asset))
            )
          )
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getAsset",
        summary: "Get a picture",
        tags,
        params,
        response: answers(AssetData, "asset_not_found", "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug, asset_id: id } = request.params
          yield* findCharacter(appId, slug)
          const asset = isId("ast", id) ? yield* Assets.use((assets) => assets.get(appId, slug, id)) : undefined
          return yield* shown(appId, asset ?? (yield* assetNotFound))
        })
      )
  )

  app.patch(
    one,
    {
      config: { exists: assetExists, writes: true },
      schema: {
        operationId: "updateAsset",
        summary: "Update a picture's metadata",
        tags,
        params,
        body: AssetPatch,
        response: answers(AssetData.extend(written), "asset_not_found", "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug, asset_id: id } = request.params
          yield* findCharacter(appId, slug)
          const { kind, label, is_primary } = request.body
          if (kind === null) return yield* validationError("body.kind: Required")
          const change = {
            ...(kind !== undefined && { kind }),
            ...(label !== undefined && { label: label ?? "" }),
            ...(is_primary !== undefined && { is_primary: is_primary ?? false })
          }
          const asset = isId("ast", id)
            ? yield* Assets.use((assets) => assets.change(appId, slug, id, change))
            : undefined
          return yield* shown(appId, asset ?? (yield* assetNotFound))
        })
      )
  )

  app.delete(
    one,
    {
      config: { writes: true },
      schema: {
        operationId: "deleteAsset",
        summary: "Delete a picture. Its URL stops working",
        tags,
        params,
        response: answers(AssetData, "asset_not_found", "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { slug, asset_id: id } = request.params
          yield* findCharacter(appId, slug)
          const asset = isId("ast", id) ? yield* Assets.use((assets) => assets.remove(appId, slug, id)) : undefined
          return success(toResource(appId, yield* ContentSignatures)(asset ?? (yield* assetNotFound)))
        })
      )
  )

  app.get(
    "/v1/assets/:asset_id/content",
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: {
        operationId: "showAsset",
        summary: "Get the file of a picture by its signed URL. Use the whole URL, unchanged",
        ...INTERNAL,
        response: answersAs("image/*", z.string().describe("The picture"), "asset_not_found", "upstream_failed")
      }
    },
    async (request, reply) => {
      const { asset_id: id = "" } = request.params as Record<string, string>
      const { sig } = request.query as Record<string, unknown>
      const { asset, content } = await run(
        reply,
        Effect.gen(function* () {
          const appId = yield* ContentSignatures.use(({ appOf }) => appOf(id, typeof sig === "string" ? sig : ""))
          const asset = appId === null ? undefined : yield* Assets.use((assets) => assets.find(appId, id))
          if (appId === null || asset === undefined) return yield* assetNotFound
          return { asset, content: yield* readPicture(reply, appId, asset.object_key, assetNotFound) }
        })
      )
      return serveContent(reply, asset.media_type, content)
    }
  )
}
