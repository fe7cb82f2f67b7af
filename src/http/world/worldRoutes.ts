import * as Effect from "effect/Effect"
import * as z from "zod"
import { type IdPrefix, isId } from "#pipeline/domain/Id.ts"
import type { StoredCharacter } from "#src/db/character/Characters.ts"
import type { FieldsOf, Stored, WorldTable } from "#src/db/world/worldTable.ts"
import type { HandlerError } from "#src/http/server/bridge.ts"
import { curl, type NextAction, success } from "#src/http/server/envelope.ts"
import { characterNotFound, worldLimitReached } from "#src/http/character/characterErrors.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import type { Exists } from "#src/http/server/resourceExists.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { mergeAndValidate } from "#src/http/server/mergeAndValidate.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import type { HandlerServices, Server } from "#src/http/server/Server.ts"
import { characterExists } from "#src/http/character/characterExists.ts"

/** One kind of entity in a character's world, as the API shows it. */
export interface WorldKind<A extends { readonly id: string }, Body extends z.ZodType<object>> {
  /** The path below the character. With underscores, also the name of the list. */
  readonly path: string
  readonly parameter: string
  readonly prefix: IdPrefix
  readonly exists: Exists
  readonly absent: ApiError
  /** In operation ids: `Npc`, `Npcs`. */
  readonly names: readonly [one: string, many: string]
  readonly summaries: {
    readonly list: string
    readonly create: string
    readonly get: string
    readonly update: string
    readonly delete: string
  }
  readonly table: Effect.Effect<WorldTable<A>, never, HandlerServices>
  readonly create: Body
  readonly patch: z.ZodObject
  readonly data: z.ZodObject
  readonly full: (most: number) => string
  /** Checks what a schema cannot express. */
  readonly toFields: (
    body: z.output<Body>,
    of: { readonly appId: string; readonly slug: string }
  ) => Effect.Effect<FieldsOf<A>, HandlerError, HandlerServices>
  readonly toResource: (
    kept: Stored<A>,
    character: StoredCharacter,
    appId: string
  ) => Effect.Effect<object, HandlerError, HandlerServices>
  /** The next actions for an item, listed before the list of all. */
  readonly next?: (
    kept: Stored<A>,
    at: { readonly baseUrl: string; readonly path: string }
  ) => ReadonlyArray<NextAction>
}

/** Registers the routes of a kind: list, create, get, change, delete. */
export const registerWorldRoutes = <A extends { readonly id: string }, Body extends z.ZodType<object>>(
  { app, answer, baseUrl }: Server,
  kind: WorldKind<A, Body>
) => {
  const tags = ["World"]
  const list = `/v1/characters/:slug/${kind.path}`
  const one = `${list}/:${kind.parameter}`
  const key = kind.path.replaceAll("-", "_")
  const ofCharacter = z.object({ slug: z.string() })
  const params = z.object({ slug: z.string(), [kind.parameter]: z.string() })
  const [name, names] = kind.names
  const next = (slug: string, kept: Stored<A>): ReadonlyArray<NextAction> => {
    const path = `/v1/characters/${slug}/${kind.path}`
    const own = kind.next?.(kept, { baseUrl: baseUrl(), path: `${path}/${kept.id}` }) ?? []
    return [...own, { command: curl(baseUrl(), "GET", path), description: "List them all" }]
  }

  const find = Effect.fnUntraced(function* (appId: string, given: unknown) {
    const { slug = "", [kind.parameter]: id = "" } = given as Readonly<Record<string, string>>
    const character = yield* findCharacter(appId, slug)
    const table = yield* kind.table
    const kept = isId(kind.prefix, id) ? yield* table.get({ appId, slug }, id) : undefined
    return { character, table, of: { appId, slug }, kept: kept ?? (yield* kind.absent) }
  })
  const shown = (kept: Stored<A>, character: StoredCharacter, appId: string) =>
    Effect.map(kind.toResource(kept, character, appId), (resource) => success(resource, next(character.slug, kept)))

  app.get(
    list,
    {
      config: { demo: true, exists: characterExists },
      schema: {
        operationId: `list${names}`,
        summary: kind.summaries.list,
        tags,
        params: ofCharacter,
        querystring: z.object(listQuery),
        response: answers(
          z.object({ [key]: z.array(kind.data), next_cursor: z.string().nullable() }),
          "character_not_found"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { appId } = request.principal
          const { limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          const character = yield* findCharacter(appId, slug)
          const rows = yield* (yield* kind.table).list({ appId, slug }, { before, limit: limit + 1 })
          const { items, next_cursor } = page(rows, limit, ({ id }) => id)
          return success({
            [key]: yield* Effect.forEach(items, (item) => kind.toResource(item, character, appId)),
            next_cursor
          })
        })
      )
  )

  app.post(
    list,
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: `create${name}`,
        summary: kind.summaries.create,
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: kind.create,
        response: answers(kind.data.extend(created), "character_not_found", "session_not_found", "world_limit_reached")
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
            const of = { appId: request.principal.appId, slug }
            const character = yield* findCharacter(of.appId, slug)
            const fields = yield* kind.toFields(request.body as z.output<Body>, of)
            const made = yield* (yield* kind.table).create(of, fields).pipe(
              Effect.catchTags({
                WorldLimitReached: ({ most }) => Effect.fail(worldLimitReached(kind.full(most))),
                SessionGone: () => Effect.fail(sessionNotFound.about("body.session_id"))
              })
            )
            return yield* shown(made ?? (yield* characterNotFound), character, of.appId)
          })
        )
      )
  )

  app.get(
    one,
    {
      config: { demo: true },
      schema: {
        operationId: `get${name}`,
        summary: kind.summaries.get,
        tags,
        params,
        response: answers(kind.data, "character_not_found", String(kind.absent.code))
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.flatMap(find(request.principal.appId, request.params), ({ kept, character, of }) =>
          shown(kept, character, of.appId)
        )
      )
  )

  app.patch(
    one,
    {
      config: { demo: true, exists: kind.exists, writes: true },
      schema: {
        operationId: `update${name}`,
        summary: kind.summaries.update,
        tags,
        params,
        body: kind.patch,
        response: answers(
          kind.data.extend(written),
          "character_not_found",
          String(kind.absent.code),
          "session_not_found"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { character, table, of, kept } = yield* find(request.principal.appId, request.params)
          const changed = yield* table
            .update(of, kept.id, (now) =>
              Effect.flatMap(mergeAndValidate(kind.create, now, request.body as object), (body) =>
                kind.toFields(body, of)
              )
            )
            .pipe(Effect.catchTag("SessionGone", () => Effect.fail(sessionNotFound.about("body.session_id"))))
          return yield* shown(changed ?? (yield* kind.absent), character, of.appId)
        })
      )
  )

  app.delete(
    one,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: `delete${name}`,
        summary: kind.summaries.delete,
        tags,
        params,
        response: answers(kind.data, "character_not_found", String(kind.absent.code))
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { character, table, of, kept } = yield* find(request.principal.appId, request.params)
          const gone = yield* table.remove(of, kept.id)
          return yield* shown(gone ?? (yield* kind.absent), character, of.appId)
        })
      )
  )
}
