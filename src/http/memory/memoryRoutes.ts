import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import type { Memory } from "#pipeline/relational/Relationship.ts"
import { Memories } from "#src/db/memory/Memories.ts"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { mapEditErrors } from "./mapEditErrors.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { memoryNotFound } from "./memoryErrors.ts"
import { toMemoryResource } from "./memoryResource.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { MemoryCreate, MemoryData, memoryKind, MemoryPage, MemoryPatch, memoryStatus } from "./memorySchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"
import { memoryExists } from "./memoryExists.ts"

/** Normalizes any offset to UTC. */
const inUtc = (moment: string) => new Date(moment).toISOString()

export const memoryRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Relationship"]
  const list = "/v1/sessions/:session_id/memories"
  const one = `${list}/:memory_id`
  const inSession = z.object({ session_id: z.string() })
  const params = inSession.extend({ memory_id: z.string() })
  const at = (sessionId: string) => `/v1/sessions/${sessionId}/memories`
  const forgetting = (sessionId: string, { id }: Memory) => [
    { command: curl(baseUrl(), "DELETE", `${at(sessionId)}/${id}`), description: "Forget the memory" }
  ]
  const memoryOf = (appId: string, { session_id: sessionId, memory_id: id }: z.output<typeof params>) =>
    Effect.gen(function* () {
      yield* findSession(appId, sessionId)
      const memory = isId("mem", id)
        ? yield* Memories.use((memories) => memories.get({ appId, sessionId }, id))
        : undefined
      return memory ?? (yield* memoryNotFound)
    })

  app.get(
    list,
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listMemories",
        summary: "List what the character remembers about the person, newest first",
        tags,
        params: inSession,
        querystring: z.object({
          kind: memoryKind.optional(),
          status: memoryStatus.optional().describe("Default: all except forgotten memories"),
          pinned: z.enum(["true", "false"]).optional(),
          ...listQuery
        }),
        response: answers(MemoryPage, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          const { kind = null, status = null, pinned, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          yield* findSession(appId, sessionId)
          const rows = yield* Memories.use((memories) =>
            memories.list(
              { appId, sessionId },
              { kind, status, pinned: pinned === undefined ? null : pinned === "true", before, limit: limit + 1 }
            )
          )
          const { items, next_cursor } = page(rows, limit, ({ id }) => id)
          return success({ memories: items.map(toMemoryResource(sessionId)), next_cursor }, [
            {
              command: curl(baseUrl(), "POST", `${at(sessionId)}/search`, { query: "sister" }),
              description: "Search the memories"
            }
          ])
        })
      )
  )

  app.post(
    list,
    {
      config: { demo: true, exists: sessionExists, writes: true },
      schema: {
        operationId: "createMemory",
        summary: "Add a memory. A forgotten memory can be added again",
        tags,
        params: inSession,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: MemoryCreate,
        response: answers(
          MemoryData.extend(created),
          "session_not_found",
          "memory_forgotten",
          "person_opted_out",
          "pinned_limit_reached"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { session_id: sessionId } = request.params
            const { appId } = request.principal
            yield* findSession(appId, sessionId)
            const { valid_at, ...fields } = request.body
            const memory = yield* mapEditErrors(
              RelationshipEdits.use((edits) =>
                edits.addMemory(
                  { appId, sessionId },
                  { ...fields, valid_at: valid_at === undefined ? null : inUtc(valid_at) }
                )
              ),
              sessionNotFound
            )
            return success(toMemoryResource(sessionId)(memory), forgetting(sessionId, memory))
          })
        )
      )
  )

  app.get(
    one,
    {
      config: { demo: true },
      schema: {
        operationId: "getMemory",
        summary: "Get a memory",
        tags,
        params,
        response: answers(MemoryData, "memory_not_found", "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const memory = yield* memoryOf(request.principal.appId, request.params)
          return success(toMemoryResource(sessionId)(memory), forgetting(sessionId, memory))
        })
      )
  )

  app.patch(
    one,
    {
      config: { demo: true, exists: memoryExists, writes: true },
      schema: {
        operationId: "updateMemory",
        summary: "Update a memory",
        tags,
        params,
        body: MemoryPatch,
        response: answers(
          MemoryData.extend(written),
          "memory_not_found",
          "session_not_found",
          "memory_forgotten",
          "person_opted_out",
          "pinned_limit_reached"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          const { id } = yield* memoryOf(appId, request.params)
          const { valid_at, ...fields } = request.body
          const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
          const memory = yield* mapEditErrors(
            RelationshipEdits.use((edits) =>
              edits.changeMemory({ appId, sessionId }, id, {
                ...given,
                ...(valid_at !== undefined && { valid_at: inUtc(valid_at) })
              })
            ),
            memoryNotFound
          )
          return success(toMemoryResource(sessionId)(memory), forgetting(sessionId, memory))
        })
      )
  )

  app.delete(
    one,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "forgetMemory",
        summary:
          "Forget a memory. Its text and quotes are deleted everywhere, " +
          "and it is not learned from the conversation again",
        description: "The messages stay on the event log. DELETE /v1/end-users/{external_user_ref} erases them too.",
        tags,
        params,
        response: answers(MemoryData, "memory_not_found", "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          const { id } = yield* memoryOf(appId, request.params)
          return success(
            toMemoryResource(sessionId)(
              yield* mapEditErrors(
                RelationshipEdits.use((edits) => edits.forgetMemory({ appId, sessionId }, id)),
                memoryNotFound
              )
            )
          )
        })
      )
  )
}
