import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as z from "zod"
import { Characters } from "#src/db/character/Characters.ts"
import type { AssetMeta } from "#src/imports/Bundle.ts"
import { bundleZip } from "#src/imports/bundleZip.ts"
import { cardPng } from "#src/imports/cardPng.ts"
import { listPictures, mainOf } from "#src/imports/listPictures.ts"
import { textOf } from "#src/imports/readJson.ts"
import { toBundle } from "#src/imports/toBundle.ts"
import { toCard } from "#src/imports/toCard.ts"
import { characterNotFound } from "./characterErrors.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import { isSlug } from "./characterSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { collectCharacterExport } from "./collectCharacterExport.ts"
import { characterExists } from "./characterExists.ts"

const JSON_TYPE = "application/json; charset=utf-8"

/**
 * Limits the characters whose pictures are being read or are in memory. More than one, so that slow storage does not
 * block all others.
 */
const gathering = Semaphore.makeUnsafe(4)
/** One file at a time, because building it with its pictures takes tens of megabytes. */
const writing = Semaphore.makeUnsafe(1)

/** Short enough for a PNG, whose keywords have at most 79 characters. */
const pathOf = ({ sha256 }: AssetMeta): string => sha256.slice(0, 32)

export const characterExportRoutes: Routes = ({ app, run }) => {
  app.get(
    "/v1/characters/:slug/export",
    {
      config: { demo: true, exists: characterExists },
      schema: {
        operationId: "exportCharacter",
        summary: "Export a character as a file that other programs, and the import of this server, can read",
        tags: ["Imports"],
        params: z.object({ slug: z.string() }),
        querystring: z.object({
          format: z
            .enum(["chara_card_v3", "png", "bundle"])
            .default("chara_card_v3")
            .describe(
              "chara_card_v3: a character card of version 3 as JSON. png: the same card in a PNG picture. " +
                "bundle: a bundle of this service, as JSON, or as ZIP if it has pictures. It includes as many " +
                "pictures as an import accepts, primary ones first"
            )
        }),
        response: answersAs(
          "application/json",
          z
            .record(z.string(), z.unknown())
            .describe("The file. With format=png: image/png. A bundle with pictures: application/zip"),
          404,
          502
        )
      }
    },
    async (request, reply) => {
      const { slug } = request.params
      const { format } = request.query
      const file = await run(
        reply,
        gathering.withPermits(1)(
          Effect.gen(function* () {
            const { appId } = request.principal
            const character = isSlug(slug)
              ? yield* Characters.use((characters) => characters.get(appId, slug))
              : undefined
            if (character === undefined) return yield* characterNotFound
            const { profile } = character
            const { whole, images } = yield* collectCharacterExport(appId, character)
            const { assets, extra } = whole
            return yield* writing.withPermits(1)(
              Effect.gen(function* () {
                if (format === "bundle") {
                  const bundle = toBundle(slug, profile, whole.npcs, whole)
                  return images.size === 0
                    ? { type: JSON_TYPE, extension: "json", content: JSON.stringify(bundle) }
                    : {
                        type: "application/zip",
                        extension: "zip",
                        content: yield* Effect.promise(() => bundleZip(bundle, images))
                      }
                }
                if (format === "chara_card_v3") {
                  const inside = ({ mime, sha256 }: AssetMeta) =>
                    `data:${mime};base64,${Buffer.from(images.get(sha256) ?? []).toString("base64")}`
                  return {
                    type: JSON_TYPE,
                    extension: "json",
                    content: JSON.stringify(
                      toCard(slug, profile, extra, {
                        ...whole,
                        assets: listPictures(assets, inside),
                        isPlaceholder: false
                      })
                    )
                  }
                }
                const main = mainOf(assets)
                const card = toCard(slug, profile, extra, {
                  ...whole,
                  assets: listPictures(assets, (asset) =>
                    asset === main ? "ccdefault:" : `embeded://${pathOf(asset)}`
                  ),
                  isPlaceholder: main === undefined
                })
                const embedded = new Map(
                  assets.flatMap((asset) =>
                    asset === main ? [] : [[pathOf(asset), images.get(asset.sha256) ?? new Uint8Array()] as const]
                  )
                )
                return {
                  type: "image/png",
                  extension: "png",
                  content: yield* Effect.promise(() =>
                    cardPng(card, textOf(profile["display_name"]), images.get(main?.sha256 ?? "") ?? null, embedded)
                  )
                }
              })
            )
          })
        )
      )
      return reply
        .header("content-type", file.type)
        .header("content-disposition", `attachment; filename="${slug}.${file.extension}"`)
        .send(file.content)
    }
  )
}
