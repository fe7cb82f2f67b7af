import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as z from "zod"
import { Characters } from "#src/db/character/Characters.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { makeFairPlaces } from "#src/db/postgres/fairPlaces.ts"
import { characterNotFound } from "./characterErrors.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import { isSlug } from "./characterSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { collectCharacterExport } from "./collectCharacterExport.ts"
import { characterExists } from "./characterExists.ts"
import { writeOnThread } from "./onExportThread.ts"
import { EXPORT_FORMATS } from "./writeCharacterExport.ts"

/**
 * Limits the characters whose pictures are being read or are in memory. More than one, so that slow storage does not
 * block all others.
 */
const gathering = makeFairPlaces(4)
/** Room for the pictures of a character, and for the file with them. */
const EXPORT_BYTES = 12 * 1024 * 1024
/** One file at a time, because building it with its pictures takes tens of megabytes. */
const writing = Semaphore.makeUnsafe(1)

export const characterExportRoutes: Routes = ({ app, run }) => {
  app.get(
    "/v1/characters/:slug/export",
    {
      config: { demo: true, exists: characterExists, cost: { reads: 1 } },
      schema: {
        operationId: "exportCharacter",
        summary: "Export a character as a file that other programs, and the import of this server, can read",
        tags: ["Imports"],
        params: z.object({ slug: z.string() }),
        querystring: z.object({
          format: z
            .enum(EXPORT_FORMATS)
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
          "character_not_found",
          "upstream_failed"
        )
      }
    },
    async (request, reply) => {
      const { slug } = request.params
      const { format } = request.query
      const { appId } = request.principal
      const exporting = gathering(
        appId,
        Effect.gen(function* () {
          const character = isSlug(slug)
            ? yield* Characters.use((characters) => characters.get(appId, slug))
            : undefined
          if (character === undefined) return yield* characterNotFound
          const { whole, images } = yield* collectCharacterExport(appId, character)
          return yield* writing.withPermits(1)(
            Effect.promise(() => writeOnThread({ format, slug, profile: character.profile, whole, images }))
          )
        })
      )
      // Room first: an app that waits for its own must not take the places of others.
      const reading = Effect.flatMap(ReadRoom, (room) => room(EXPORT_BYTES, exporting))
      const file = await run(
        reply,
        OpenReads.use((reads) => reads.whileOpen(readerOf(request), 0, reading))
      )
      return reply
        .header("content-type", file.type)
        .header("content-disposition", `attachment; filename="${slug}.${file.extension}"`)
        .send(file.content)
    }
  )
}
