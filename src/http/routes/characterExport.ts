import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as z from "zod"
import { Characters } from "#src/db/Characters.ts"
import { Imports } from "#src/db/Imports.ts"
import { Npcs } from "#src/db/Npcs.ts"
import { bundleZip } from "#src/imports/bundleZip.ts"
import { cardPng } from "#src/imports/cardPng.ts"
import { textOf } from "#src/imports/readJson.ts"
import { toBundle } from "#src/imports/toBundle.ts"
import { toCard } from "#src/imports/toCard.ts"
import { notFound } from "../errors.ts"
import { answersAs } from "../schemas/answers.ts"
import { isSlug } from "../schemas/character.ts"
import type { Routes } from "../Server.ts"

/** One picture at a time: what an avatar of many pixels takes is not to be had twice. */
const drawing = Semaphore.makeUnsafe(1)

const JSON_TYPE = "application/json; charset=utf-8"

export const characterExportRoutes: Routes = ({ app, run }) => {
  app.get("/v1/characters/:slug/export", {
    config: { demo: true, within: "character" },
    schema: {
      operationId: "exportCharacter",
      summary: "A character as a file that others, and an import here, can read",
      tags: ["Imports"],
      params: z.object({ slug: z.string() }),
      querystring: z.object({
        format: z.enum(["chara_card_v3", "png", "bundle"]).default("chara_card_v3").describe("A character card of version 3 as JSON, the same in a PNG picture, or a bundle of this service: JSON, or a ZIP where it has images")
      }),
      response: answersAs("application/json", z.record(z.string(), z.unknown()).describe("The file itself; with format=png, image/png; a bundle with images, application/zip"), 404)
    }
  }, async (request, reply) => {
    const { slug } = request.params
    const { format } = request.query
    const file = await run(reply, Effect.gen(function*() {
      const { appId } = request.principal
      const character = isSlug(slug) ? yield* Characters.use((characters) => characters.get(appId, slug)) : undefined
      if (character === undefined) return yield* notFound.character
      const { import_id: importId, profile } = character
      const imports = yield* Imports
      const came = importId === null ? undefined : (yield* imports.get(appId, importId))?.bundle ?? undefined
      const images = importId === null || came === undefined || came.assets.length === 0 ? new Map<string, Uint8Array>() : yield* imports.images(appId, importId)
      if (format === "bundle") {
        const npcs = (yield* Npcs.use((table) => table.all({ appId, slug }))).map(({ name, role, summary, aliases, linked_slug, mention_policy }) => ({ name, role, summary, aliases, linked_slug, mention_policy }))
        const bundle = toBundle(slug, profile, npcs, came)
        return images.size === 0 ? { type: JSON_TYPE, extension: "json", content: JSON.stringify(bundle) } : { type: "application/zip", extension: "zip", content: yield* Effect.promise(() => bundleZip(bundle, images)) }
      }
      const card = toCard(slug, profile, came?.extra ?? {})
      if (format === "chara_card_v3") return { type: JSON_TYPE, extension: "json", content: JSON.stringify(card) }
      const avatar = images.get(came?.assets.find(({ is_primary: isPrimary }) => isPrimary)?.sha256 ?? "") ?? null
      return { type: "image/png", extension: "png", content: yield* drawing.withPermits(1)(Effect.promise(() => cardPng(card, textOf(profile["display_name"]), avatar))) }
    }))
    return reply.header("content-type", file.type).header("content-disposition", `attachment; filename="${slug}.${file.extension}"`).send(file.content)
  })
}
