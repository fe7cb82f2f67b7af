import * as Effect from "effect/Effect"
import * as z from "zod"
import { newId } from "#pipeline/domain/Id.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { loreEntryNotFound, characterNotFound, worldLimitReached } from "./characterErrors.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { validationError, versionConflict } from "#src/http/server/errors.ts"
import { findCharacter } from "./findCharacter.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { loreOf, withLore } from "./lore.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import {
  hasTooManyPatterns,
  LoreData,
  type LoreEntry,
  LoreEntryCreate,
  LoreEntryData,
  LoreEntryPut,
  LorePut,
  TOO_MANY_PATTERNS
} from "./loreSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists, loreEntryExists } from "./characterExists.ts"

const MOST = 300

const toLore = ({ profile, version }: StoredCharacter) => ({ entries: loreOf(profile), version })
const toResource = ({ slug, version }: StoredCharacter, { id, ...entry }: LoreEntry) => ({
  id,
  character_slug: slug,
  version,
  ...entry
})

/**
 * The authored world facts of a character, which are part of its profile. Every change creates a new version of the
 * character.
 */
export const loreRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["World"]
  const list = "/v1/characters/:slug/lore"
  const one = `${list}/:entry_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ entry_id: z.string() })
  const next = (slug: string) => [
    { command: curl(baseUrl(), "GET", `/v1/characters/${slug}/lore`), description: "Get the whole lore" }
  ]

  const find = Effect.fnUntraced(function* (appId: string, { slug, entry_id: id }: z.output<typeof params>) {
    const character = yield* findCharacter(appId, slug)
    const entry = loreOf(character.profile).find((entry) => entry.id === id)
    return { character, entry: entry ?? (yield* loreEntryNotFound) }
  })
  const change = Effect.fnUntraced(function* (
    appId: string,
    slug: string,
    expectedVersion: number | undefined,
    edit: (entries: ReadonlyArray<LoreEntry>) => Effect.Effect<ReadonlyArray<LoreEntry>, ApiError>
  ) {
    yield* findCharacter(appId, slug)
    const character = yield* Characters.use((characters) =>
      characters.update(appId, slug, expectedVersion, (profile) =>
        Effect.map(edit(loreOf(profile)), (entries) => withLore(profile, entries))
      )
    ).pipe(Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("character", current))))
    return character ?? (yield* characterNotFound)
  })
  /** The lore after adding or changing an entry. */
  const bounded = (entries: ReadonlyArray<LoreEntry>) =>
    hasTooManyPatterns(entries)
      ? Effect.fail(validationError(`body.keys: ${TOO_MANY_PATTERNS}`))
      : Effect.succeed(entries)
  /** The entry was deleted in the meantime, or never existed. */
  const there = (entries: ReadonlyArray<LoreEntry>, id: string) =>
    entries.some((entry) => entry.id === id) ? Effect.succeed(entries) : Effect.fail(loreEntryNotFound)

  app.get(
    list,
    {
      config: { demo: true },
      schema: {
        operationId: "getLore",
        summary: "List the lore entries of the character, in order",
        tags,
        params: ofCharacter,
        response: answers(LoreData, "character_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(findCharacter(request.principal.appId, request.params.slug), (character) =>
          success(toLore(character))
        )
      )
  )

  app.put(
    list,
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "replaceLore",
        summary: "Replace the whole lore. Entries that are sent with their ids keep them",
        tags,
        params: ofCharacter,
        body: LorePut,
        response: answers(LoreData.extend(written), "character_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { entries, expected_version } = request.body
          return success(
            toLore(yield* change(request.principal.appId, slug, expected_version, () => Effect.succeed(entries))),
            next(slug)
          )
        })
      )
  )

  app.post(
    list,
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "createLoreEntry",
        summary: "Create a lore entry",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: LoreEntryCreate,
        response: answers(LoreEntryData.extend(created), "character_not_found", "world_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { slug } = request.params
            const entry = { id: newId("lor"), ...request.body }
            const character = yield* change(request.principal.appId, slug, undefined, (entries) =>
              entries.length < MOST
                ? bounded([...entries, entry])
                : Effect.fail(worldLimitReached(`The lore has ${MOST} entries, which is the limit.`))
            )
            return success(toResource(character, entry), next(slug))
          })
        )
      )
  )

  app.get(
    one,
    {
      config: { demo: true },
      schema: {
        operationId: "getLoreEntry",
        summary: "Get a lore entry",
        tags,
        params,
        response: answers(LoreEntryData, "character_not_found", "lore_entry_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(find(request.principal.appId, request.params), ({ character, entry }) =>
          success(toResource(character, entry), next(character.slug))
        )
      )
  )

  app.put(
    one,
    {
      config: { demo: true, exists: loreEntryExists, writes: true },
      schema: {
        operationId: "replaceLoreEntry",
        summary: "Replace a lore entry",
        tags,
        params,
        body: LoreEntryPut,
        response: answers(
          LoreEntryData.extend(written),
          "character_not_found",
          "lore_entry_not_found",
          "version_conflict"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug, entry_id: id } = request.params
          const { expected_version, ...fields } = request.body
          const { appId } = request.principal
          yield* find(appId, request.params)
          const entry = { id, ...fields }
          const character = yield* change(appId, slug, expected_version, (entries) =>
            Effect.flatMap(there(entries, id), (entries) =>
              bounded(entries.map((before) => (before.id === id ? entry : before)))
            )
          )
          return success(toResource(character, entry), next(slug))
        })
      )
  )

  app.delete(
    one,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "deleteLoreEntry",
        summary: "Delete a lore entry",
        tags,
        params,
        response: answers(LoreEntryData, "character_not_found", "lore_entry_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug, entry_id: id } = request.params
          const { appId } = request.principal
          const { entry } = yield* find(appId, request.params)
          const character = yield* change(appId, slug, undefined, (entries) =>
            Effect.map(there(entries, id), (entries) => entries.filter((before) => before.id !== id))
          )
          return success(toResource(character, entry), next(slug))
        })
      )
  )
}
