import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import type { Npc } from "#pipeline/world/World.ts"
import { Npcs } from "#src/db/Npcs.ts"
import type { Kept } from "#src/db/worldTable.ts"
import { curl, success } from "../envelope.ts"
import { notFound, worldLimitReached } from "../errors.ts"
import { findCharacter } from "../findCharacter.ts"
import { createOnce } from "../idempotent.ts"
import { cursorKey, listQuery, page } from "../listing.ts"
import { merged } from "../merged.ts"
import { answers, created, written } from "../schemas/answers.ts"
import { NpcCreate, NpcData, NpcPage, NpcPatch } from "../schemas/npc.ts"
import type { Routes } from "../Server.ts"

const toResource = (slug: string) => ({ id, ...npc }: Kept<Npc>) => ({ id, character_slug: slug, ...npc })

/** Who a character knows. */
export const npcRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["World"]
  const list = "/v1/characters/:slug/npcs"
  const one = `${list}/:npc_id`
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ npc_id: z.string() })
  const graph = (slug: string) => [{ command: curl(baseUrl(), "GET", `/v1/characters/${slug}/graph`), description: "See who and what the character is tied to" }]
  const find = (appId: string, { slug, npc_id: id }: z.output<typeof params>) => Effect.gen(function*() {
    yield* findCharacter(appId, slug)
    const npc = isId("npc", id) ? yield* Npcs.use((npcs) => npcs.get({ appId, slug }, id)) : undefined
    return npc ?? (yield* notFound.npc)
  })

  app.get(list, {
    config: { demo: true, within: "character" },
    schema: { operationId: "listNpcs", summary: "Who the character knows, newest first", tags, params: ofCharacter, querystring: z.object(listQuery), response: answers(NpcPage, 404) }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const { slug } = request.params
      const { appId } = request.principal
      const { limit, cursor } = request.query
      const before = yield* cursorKey(cursor)
      yield* findCharacter(appId, slug)
      const rows = yield* Npcs.use((npcs) => npcs.list({ appId, slug }, { before, limit: limit + 1 }))
      const { items, next_cursor } = page(rows, limit, ({ id }) => id)
      return success({ npcs: items.map(toResource(slug)), next_cursor }, graph(slug))
    })))

  app.post(list, {
    config: { demo: true, within: "character", writes: true },
    schema: {
      operationId: "createNpc",
      summary: "Have the character know somebody: it speaks of them when they come up, as their mention_policy allows",
      tags,
      params: ofCharacter,
      headers: z.object({ "idempotency-key": z.string().optional() }),
      body: NpcCreate,
      response: answers(NpcData.extend(created), 404, 409, 413)
    }
  }, (request, reply) =>
    answer(request, reply, createOnce(request, Effect.gen(function*() {
      const { slug } = request.params
      const { appId } = request.principal
      yield* findCharacter(appId, slug)
      const npc = yield* Npcs.use((npcs) => npcs.create({ appId, slug }, request.body)).pipe(
        Effect.catchTag("WorldLimitReached", ({ most }) => Effect.fail(worldLimitReached(`The character knows ${most} NPCs, which is as many as there may be.`)))
      )
      return success(toResource(slug)(npc ?? (yield* notFound.character)), graph(slug))
    }))))

  app.get(one, {
    config: { demo: true },
    schema: { operationId: "getNpc", summary: "One NPC", tags, params, response: answers(NpcData, 404) }
  }, (request, reply) =>
    answer(request, reply, Effect.map(find(request.principal.appId, request.params), (npc) => success(toResource(request.params.slug)(npc), graph(request.params.slug)))))

  app.patch(one, {
    config: { demo: true, within: "npc", writes: true },
    schema: { operationId: "updateNpc", summary: "Change an NPC by JSON merge patch", tags, params, body: NpcPatch, response: answers(NpcData.extend(written), 404, 413) }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const { appId } = request.principal
      const { slug } = request.params
      const { id } = yield* find(appId, request.params)
      const npc = yield* Npcs.use((npcs) => npcs.update({ appId, slug }, id, (now) => merged(NpcCreate, now, request.body)))
      return success(toResource(slug)(npc ?? (yield* notFound.npc)), graph(slug))
    })))

  app.delete(one, {
    config: { demo: true, writes: true },
    schema: { operationId: "deleteNpc", summary: "Delete an NPC, with the edges that it has", tags, params, response: answers(NpcData, 404) }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const { appId } = request.principal
      const { slug } = request.params
      const { id } = yield* find(appId, request.params)
      const npc = yield* Npcs.use((npcs) => npcs.remove({ appId, slug }, id))
      return success(toResource(slug)(npc ?? (yield* notFound.npc)), graph(slug))
    })))
}
