import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type Node, nodeOf } from "#pipeline/world/nodes.ts"
import type { Edge } from "#pipeline/world/World.ts"
import { GraphEdges } from "#src/db/world/GraphEdges.ts"
import { Npcs } from "#src/db/world/Npcs.ts"
import type { FieldsOf, Stored } from "#src/db/world/worldTable.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { characterNotFound, worldLimitReached } from "#src/http/character/characterErrors.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { edgeNotFound } from "./worldErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findCharacter } from "#src/http/character/findCharacter.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { mergeAndValidate } from "#src/http/server/mergeAndValidate.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { EdgeCreate, EdgeData, edgeFields, EdgePatch, GraphData } from "./graphSchemas.ts"
import { inUtc, moment } from "#src/http/server/schemas/moment.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { characterExists } from "#src/http/character/characterExists.ts"
import { about } from "#src/http/server/about.ts"
import { edgeExists } from "./worldExists.ts"

const fieldsOf = ({
  session_id,
  from,
  to,
  relation,
  fact,
  sentiment,
  strength,
  visibility,
  valid_at,
  invalid_at,
  source_ref
}: Edge): FieldsOf<Edge> => ({
  session_id,
  from,
  to,
  relation,
  fact,
  sentiment,
  strength,
  visibility,
  valid_at,
  invalid_at,
  source_ref
})
const toResource = (slug: string) => (edge: Stored<Edge>) => ({
  id: edge.id,
  character_slug: slug,
  ...fieldsOf(edge),
  created_at: edge.created_at,
  updated_at: edge.updated_at
})

/** Checks that a schema cannot express: both ends exist and are different, and the period of validity is not empty. */
const toEdge = Effect.fnUntraced(function* (
  of: { readonly appId: string; readonly slug: string },
  body: z.output<typeof edgeFields>,
  sessionId: string | null
) {
  const npcs = yield* Npcs
  for (const end of ["from", "to"] as const) {
    const id = body[end]
    if (id.startsWith("npc_") && (!isId("npc", id) || (yield* npcs.get(of, id)) === undefined))
      return yield* validationError(`body.${end}: There is no such NPC`)
  }
  if (body.from === body.to) return yield* validationError("body.to: Must be another node than from")
  const valid_at = inUtc(body.valid_at ?? null) ?? new Date(yield* Clock.currentTimeMillis).toISOString()
  const invalid_at = inUtc(body.invalid_at)
  if (invalid_at !== null && invalid_at <= valid_at)
    return yield* validationError("body.invalid_at: Must be after valid_at")
  return { ...body, valid_at, invalid_at, session_id: sessionId } satisfies FieldsOf<Edge>
})

/** Relations between the character, the people it knows, the end-user, and the places and things in its world. */
export const graphRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["World"]
  const path = "/v1/characters/:slug/graph"
  const ofCharacter = z.object({ slug: z.string() })
  const params = ofCharacter.extend({ edge_id: z.string() })
  const whole = (slug: string) => [
    { command: curl(baseUrl(), "GET", `/v1/characters/${slug}/graph`), description: "Get the whole graph" }
  ]
  const find = (appId: string, { slug, edge_id: id }: z.output<typeof params>) =>
    Effect.gen(function* () {
      yield* findCharacter(appId, slug)
      const edge = isId("edg", id) ? yield* GraphEdges.use((edges) => edges.get({ appId, slug }, id)) : undefined
      return edge ?? (yield* edgeNotFound)
    })

  app.get(
    path,
    {
      config: { demo: true, exists: characterExists },
      schema: {
        operationId: "getGraph",
        summary: "Get the graph of the character: its nodes and edges, as they are true now or were at a given time",
        tags,
        params: ofCharacter,
        querystring: z.object({
          session_id: z.string().max(64).optional().describe("Include the edges of this session"),
          as_of: moment.optional()
        }),
        response: answers(GraphData, "character_not_found", "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const { appId } = request.principal
          const { session_id: sessionId, as_of } = request.query
          const { profile } = yield* findCharacter(appId, slug)
          if (sessionId !== undefined) {
            const session = yield* findSession(appId, sessionId).pipe(about("query.session_id"))
            if (session.character_slug !== slug) return yield* sessionNotFound.about("query.session_id")
          }
          const of = { appId, slug }
          const at = as_of === undefined ? new Date(yield* Clock.currentTimeMillis) : new Date(as_of)
          const [npcs, edges] = yield* Effect.all(
            [Npcs.use((npcs) => npcs.all(of)), GraphEdges.use((graph) => graph.holding(of, at, sessionId ?? null))],
            { concurrency: 2 }
          )
          const byId = new Map(npcs.map((npc) => [npc.id, npc]))
          const ids = new Set([
            "character",
            ...(sessionId === undefined ? [] : ["user"]),
            ...byId.keys(),
            ...edges.flatMap(({ from, to }) => [from, to])
          ])
          const nodes = [...ids].flatMap((id): ReadonlyArray<Node> => {
            const node = nodeOf(id, String(profile["display_name"] ?? slug), byId)
            return node === undefined ? [] : [node]
          })
          return success({ nodes, edges: edges.map(toResource(slug)) })
        })
      )
  )

  app.post(
    `${path}/edges`,
    {
      config: { demo: true, exists: characterExists, writes: true },
      schema: {
        operationId: "createEdge",
        summary: "Create an edge between two nodes, for all sessions or for one",
        tags,
        params: ofCharacter,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: EdgeCreate,
        response: answers(EdgeData.extend(created), "character_not_found", "session_not_found", "world_limit_reached")
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
            yield* findCharacter(of.appId, slug)
            const { session_id, ...body } = request.body
            const edge = yield* GraphEdges.use((edges) =>
              Effect.flatMap(toEdge(of, body, session_id), (fields) => edges.create(of, fields))
            ).pipe(
              Effect.catchTags({
                WorldLimitReached: ({ most }) =>
                  Effect.fail(
                    worldLimitReached(
                      `There are ${most} active edges, which is the limit for ` +
                        `${session_id === null ? "a character" : "a session"}.`
                    )
                  ),
                SessionGone: () => Effect.fail(sessionNotFound.about("body.session_id"))
              })
            )
            return success(toResource(slug)(edge ?? (yield* characterNotFound)), whole(slug))
          })
        )
      )
  )

  app.patch(
    `${path}/edges/:edge_id`,
    {
      config: { demo: true, exists: edgeExists, writes: true },
      schema: {
        operationId: "updateEdge",
        summary: "Update an edge by JSON merge patch",
        tags,
        params,
        body: EdgePatch,
        response: answers(EdgeData.extend(written), "character_not_found", "edge_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const of = { appId: request.principal.appId, slug }
          const { id } = yield* find(of.appId, request.params)
          const edge = yield* GraphEdges.use((edges) =>
            edges.update(of, id, (now) =>
              Effect.flatMap(mergeAndValidate(edgeFields, now, request.body), (body) =>
                toEdge(of, body, now.session_id)
              )
            )
          ).pipe(Effect.catchTag("SessionGone", () => Effect.fail(edgeNotFound)))
          return success(toResource(slug)(edge ?? (yield* edgeNotFound)), whole(slug))
        })
      )
  )

  app.delete(
    `${path}/edges/:edge_id`,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "invalidateEdge",
        summary: "Invalidate an edge. It is kept, with the time when it stopped being true",
        tags,
        params,
        response: answers(EdgeData, "character_not_found", "edge_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { slug } = request.params
          const of = { appId: request.principal.appId, slug }
          const { id } = yield* find(of.appId, request.params)
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          const edge = yield* GraphEdges.use((edges) =>
            edges.update(of, id, (edge) =>
              Effect.succeed({
                ...fieldsOf(edge),
                invalid_at: edge.invalid_at !== null && edge.invalid_at < now ? edge.invalid_at : now
              })
            )
          ).pipe(Effect.catchTag("SessionGone", () => Effect.fail(edgeNotFound)))
          return success(toResource(slug)(edge ?? (yield* edgeNotFound)), whole(slug))
        })
      )
  )
}
