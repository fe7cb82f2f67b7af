import * as Effect from "effect/Effect"
import * as z from "zod"
import { Characters } from "#src/db/character/Characters.ts"
import { CharacterArchival } from "#src/db/conversation/CharacterArchival.ts"
import { toCharacterResource } from "./characterResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { demoQuotaExceeded, versionConflict } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listedPage, listQuery } from "#src/http/server/listing.ts"
import { patchProfile } from "./patchProfile.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { CharacterData, CharacterPage } from "./characterData.ts"
import { CharacterCreate, CharacterPatch, isSlug } from "./characterSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterNotFound, slugTaken } from "./characterErrors.ts"
import { characterExists } from "./characterExists.ts"

export const characterRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ slug: z.string() })
  const tags = ["Characters"]
  const talk = (slug: string) => ({
    command: curl(baseUrl(), "POST", "/v1/sessions", { character_slug: slug, external_user_ref: "user-1" }),
    description: "Open a session with this character"
  })
  const read = (slug: string) => ({
    command: curl(baseUrl(), "GET", `/v1/characters/${slug}`),
    description: "Read the character"
  })

  app.post(
    "/v1/characters",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "createCharacter",
        summary: "Create a character",
        tags,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: CharacterCreate,
        response: answers(CharacterData.extend(created), "demo_quota_exceeded", "slug_taken")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug, ...profile } = request.body
            const characters = yield* Characters
            const character = yield* characters.create(request.principal.appId, slug, profile).pipe(
              Effect.catchTags({
                SlugTaken: ({ archivedAt }) => Effect.fail(slugTaken(slug, archivedAt).about("body.slug")),
                QuotaReached: () => Effect.fail(demoQuotaExceeded("characters"))
              })
            )
            return success(toCharacterResource(character), [talk(slug), read(slug)])
          })
        )
      )
  )

  app.get(
    "/v1/characters",
    {
      config: { demo: true },
      schema: {
        operationId: "listCharacters",
        summary: "List the app's characters, by slug",
        tags,
        querystring: z.object({
          status: z.enum(["active", "archived"]).optional(),
          q: z.string().max(80).optional().describe("Part of the slug or display name"),
          ...listQuery
        }),
        response: answers(CharacterPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { status = null, q = null, cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const found = yield* Characters.use((characters) =>
            characters.list(request.principal.appId, { status, search: q, after, limit })
          )
          const { items, next_cursor } = listedPage(found, (row) => row.slug)
          return success(
            { characters: items.map(toCharacterResource), next_cursor },
            items.slice(0, 1).map((item) => talk(item.slug))
          )
        })
      )
  )

  app.get(
    "/v1/characters/:slug",
    {
      config: { demo: true },
      schema: {
        operationId: "getCharacter",
        summary: "Get a character",
        tags,
        params,
        response: answers(CharacterData, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          if (!isSlug(slug)) return yield* characterNotFound
          const character = yield* Characters.use((characters) => characters.get(request.principal.appId, slug))
          if (character === undefined) return yield* characterNotFound
          return success(toCharacterResource(character), [talk(character.slug)])
        })
      )
  )

  app.patch(
    "/v1/characters/:slug",
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "updateCharacter",
        summary: "Update a character by JSON merge patch. Each change creates a new version",
        tags,
        params,
        body: CharacterPatch,
        response: answers(CharacterData.extend(written), "character_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          if (!isSlug(slug)) return yield* characterNotFound
          const { expected_version, ...patch } = request.body
          const characters = yield* Characters
          const character = yield* characters
            .update(request.principal.appId, slug, expected_version, (profile) => patchProfile(slug, profile, patch))
            .pipe(
              Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("character", current)))
            )
          if (character === undefined) return yield* characterNotFound
          return success(toCharacterResource(character), [talk(slug)])
        })
      )
  )

  app.delete(
    "/v1/characters/:slug",
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "archiveCharacter",
        summary: "Archive a character. Its sessions continue unless end_sessions is true",
        tags,
        params,
        querystring: z.object({ end_sessions: z.enum(["true", "false"]).default("false") }),
        response: answers(CharacterData, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          if (!isSlug(slug)) return yield* characterNotFound
          const character = yield* CharacterArchival.use((archival) =>
            archival.archive(request.principal.appId, slug, request.query.end_sessions === "true")
          )
          if (character === undefined) return yield* characterNotFound
          return success(toCharacterResource(character), [
            {
              command: curl(baseUrl(), "GET", "/v1/characters?status=active"),
              description: "List the remaining characters"
            }
          ])
        })
      )
  )
}
