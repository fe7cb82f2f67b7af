import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type EndUser, type EndUserChange, EndUsers } from "#src/db/privacy/EndUsers.ts"
import { type Erasure, Erasures } from "#src/db/privacy/Erasures.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { erasureNotFound, endUserNotFound } from "./privacyErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { isExternalUserRef } from "./externalUserRef.ts"
import { EndUserData, EndUserPage, EndUserPatch, ErasureData } from "./endUserSchemas.ts"
import { momentOrDay } from "#src/http/server/schemas/moment.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { endUserExists } from "./endUserExists.ts"
import { findEndUser } from "./findEndUser.ts"

const toResource = (person: EndUser) => ({
  external_user_ref: person.external_user_ref,
  display_name: person.display_name,
  timezone: person.timezone,
  locale: person.locale,
  age_band: person.age_band,
  blocked: person.blocked,
  session_count: person.session_count,
  last_active_at: person.last_active_at?.toISOString() ?? null,
  created_at: person.created_at.toISOString()
})
const toReceipt = (erasure: Erasure) => ({
  erasure_id: erasure.erasure_id,
  status: erasure.status,
  created_at: erasure.created_at.toISOString(),
  completed_at: erasure.completed_at?.toISOString() ?? null
})

/** Only named fields change, and null clears. */
const changeOf = ({
  display_name,
  timezone,
  locale,
  age_band,
  blocked
}: z.output<typeof EndUserPatch>): EndUserChange => ({
  ...(display_name !== undefined && { display_name }),
  ...(timezone !== undefined && { timezone }),
  ...(locale !== undefined && { locale }),
  ...(age_band !== undefined && { age_band: age_band ?? "unknown" }),
  ...(blocked !== undefined && { blocked })
})

/** References may contain any characters and be so long that a cursor made of one is longer than any other. */
const longCursor = z.string().max(2000).optional().describe("next_cursor of the previous page")
const toKey = (ref: string) => Buffer.from(ref, "utf8").toString("base64url")
const ofKey = (key: string | null) => {
  if (key === null) return Effect.succeed(null)
  const ref = Buffer.from(key, "base64url").toString("utf8")
  return toKey(ref) === key && isExternalUserRef(ref)
    ? Effect.succeed(ref)
    : Effect.fail(validationError("query.cursor: Must be a cursor of this list"))
}

export const endUserRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["End-users"]
  const path = "/v1/end-users/:external_user_ref"
  const params = z.object({ external_user_ref: z.string() })
  const at = (ref: string) => `/v1/end-users/${encodeURIComponent(ref)}`
  const actions = (ref: string) => [
    { command: curl(baseUrl(), "GET", `${at(ref)}/sessions`), description: "List the end-user's sessions" },
    { command: curl(baseUrl(), "GET", `${at(ref)}/usage`), description: "See the end-user's usage" }
  ]
  const receipt = (erasure: Erasure) =>
    success(toReceipt(erasure), [
      { command: curl(baseUrl(), "GET", `/v1/erasures/${erasure.erasure_id}`), description: "See the progress" }
    ])

  app.get(
    "/v1/end-users",
    {
      config: { demo: true },
      schema: {
        operationId: "listEndUsers",
        summary: "List the app's end-users, by reference",
        tags,
        querystring: z.object({
          q: z.string().max(128).optional().describe("Part of the reference or display name"),
          active_since: momentOrDay.optional().describe("Only end-users who have written since then"),
          ...listQuery,
          cursor: longCursor
        }),
        response: answers(EndUserPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { q = null, active_since, cursor, limit } = request.query
          const after = yield* Effect.flatMap(cursorKey(cursor), ofKey)
          const activeSince = active_since === undefined ? null : new Date(active_since)
          const rows = yield* EndUsers.use((people) =>
            people.list(request.principal.appId, { search: q, activeSince, after, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => toKey(row.external_user_ref))
          return success(
            { end_users: items.map(toResource), next_cursor },
            items.slice(0, 1).flatMap((item) => actions(item.external_user_ref))
          )
        })
      )
  )

  app.get(
    path,
    {
      config: { demo: true },
      schema: {
        operationId: "getEndUser",
        summary: "Get an end-user",
        tags,
        params,
        response: answers(EndUserData, "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(findEndUser(request.principal.appId, request.params.external_user_ref), (person) =>
          success(toResource(person), actions(person.external_user_ref))
        )
      )
  )

  app.patch(
    path,
    {
      config: { demo: true, exists: endUserExists, writes: true },
      schema: {
        operationId: "updateEndUser",
        summary: "Update or block an end-user, by JSON merge patch",
        tags,
        params,
        body: EndUserPatch,
        response: answers(EndUserData.extend(written), "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { external_user_ref: ref } = yield* findEndUser(
            request.principal.appId,
            request.params.external_user_ref
          )
          const changed = yield* EndUsers.use((people) =>
            people.change(request.principal.appId, ref, changeOf(request.body))
          )
          return success(toResource(changed ?? (yield* endUserNotFound)), actions(ref))
        })
      )
  )

  app.delete(
    path,
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "eraseEndUser",
        summary:
          "Erase an end-user: their sessions with all messages and memories, and " +
          "their profile. A repeated request returns the same erasure",
        tags,
        params,
        response: answers(ErasureData, "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { external_user_ref: ref } = yield* findEndUser(
            request.principal.appId,
            request.params.external_user_ref
          )
          return receipt(
            (yield* Erasures.use((erasures) => erasures.begin(request.principal.appId, ref))) ??
              (yield* endUserNotFound)
          )
        })
      )
  )

  app.get(
    "/v1/erasures/:erasure_id",
    {
      config: { demo: true },
      schema: {
        operationId: "getErasure",
        summary: "Get the status of an erasure",
        tags,
        params: z.object({ erasure_id: z.string() }),
        response: answers(ErasureData, "erasure_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { erasure_id: id } = request.params
          const found = isId("ers", id)
            ? yield* Erasures.use((erasures) => erasures.get(request.principal.appId, id))
            : undefined
          return receipt(found ?? (yield* erasureNotFound))
        })
      )
  )
}
