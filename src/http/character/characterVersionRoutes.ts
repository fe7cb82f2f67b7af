import * as Effect from "effect/Effect"
import * as z from "zod"
import { Characters } from "#src/db/character/Characters.ts"
import { toCharacterResource } from "./characterResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { versionNotFound, characterNotFound } from "./characterErrors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { listQuery, numberCursorKey, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { CharacterData, CharacterVersionPage } from "./characterData.ts"
import { isSlug } from "./characterSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists } from "./characterExists.ts"

const VERSION = /^[1-9]\d{0,8}$/

export const characterVersionRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Characters"]

  app.get(
    "/v1/characters/:slug/versions",
    {
      config: { demo: true, exists: characterExists },
      schema: {
        operationId: "listCharacterVersions",
        summary: "List the versions of a character, newest first",
        tags,
        params: z.object({ slug: z.string() }),
        querystring: z.object(listQuery),
        response: answers(CharacterVersionPage, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { cursor, limit } = request.query
          if (!isSlug(slug)) return yield* characterNotFound
          const before = yield* numberCursorKey(cursor)
          const found = yield* Characters.use((characters) =>
            characters.versions(request.principal.appId, slug, { before, limit: limit + 1 })
          )
          if (found === undefined) return yield* characterNotFound
          const { items, next_cursor } = page(found, limit, (item) => String(item.version))
          const versions = items.map((item) => ({ ...item, created_at: item.created_at.toISOString() }))
          const old = items.find((item) => !item.current)
          return success(
            { versions, next_cursor },
            old === undefined
              ? []
              : [
                  {
                    command: curl(baseUrl(), "POST", `/v1/characters/${slug}/versions/${old.version}/restore`),
                    description: "Restore this version"
                  }
                ]
          )
        })
      )
  )

  app.post(
    "/v1/characters/:slug/versions/:version/restore",
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "restoreCharacterVersion",
        summary: "Restore an old version as the newest. An archived character becomes active again",
        tags,
        params: z.object({ slug: z.string(), version: z.string() }),
        headers: z.object({ "idempotency-key": z.string().optional() }),
        response: answers(CharacterData.extend(created), "character_not_found", "version_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, version } = request.params
            if (!isSlug(slug)) return yield* characterNotFound
            const characters = yield* Characters
            const character = yield* characters
              .restore(request.principal.appId, slug, VERSION.test(version) ? Number(version) : 0)
              .pipe(Effect.catchTag("VersionNotFound", () => Effect.fail(versionNotFound)))
            if (character === undefined) return yield* characterNotFound
            return success(toCharacterResource(character), [
              { command: curl(baseUrl(), "GET", `/v1/characters/${slug}`), description: "Read the character" }
            ])
          })
        )
      )
  )
}
