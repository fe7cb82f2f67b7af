import * as Effect from "effect/Effect"
import { isDeepStrictEqual } from "node:util"
import * as z from "zod"
import { type Session, Sessions } from "#src/db/conversation/Sessions.ts"
import { success } from "#src/http/server/envelope.ts"
import { characterArchived, characterNotFound } from "#src/http/character/characterErrors.ts"
import { characterNotReady } from "./conversationErrors.ts"
import { demoQuotaExceeded } from "#src/http/server/errors.ts"
import { findSession } from "./findSession.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { characterSlugOf, SessionCreate, SessionData, SessionPage, slugFieldOf } from "./sessionSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionActions } from "./sessionActions.ts"
import { toSessionResource } from "./sessionResource.ts"

/** A reused session keeps its values. The answer names the fields of the request that were not applied. */
const notTakenOver = ({ metadata, proactive_enabled }: SessionCreate, session: Session): ReadonlyArray<string> => [
  ...(metadata === undefined || isDeepStrictEqual(metadata, session.metadata) ? [] : ["metadata"]),
  ...(proactive_enabled === undefined || proactive_enabled === (session.proactive_controls["proactive_enabled"] ?? null)
    ? []
    : ["proactive_enabled"])
]

export const sessionRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ session_id: z.string() })
  const tags = ["Sessions"]
  const actions = (id: string) => sessionActions(baseUrl(), id)
  app.post(
    "/v1/sessions",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "createSession",
        summary:
          "Open a session between a person and a character, or return " +
          "the active one. The character may send a greeting",
        tags,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: SessionCreate,
        response: answers(
          SessionData.extend({ created: z.boolean(), ...onCreate }),
          "demo_quota_exceeded",
          "character_not_found",
          "session_not_found",
          "character_archived",
          "character_not_ready"
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
            const { external_user_ref, proactive_enabled, end_user, metadata, new_thread } = request.body
            const sessions = yield* Sessions
            const { session, created } = yield* sessions
              .create(request.principal.appId, {
                characterSlug: characterSlugOf(request.body),
                externalUserRef: external_user_ref,
                proactiveControls:
                  proactive_enabled === undefined || proactive_enabled === null ? {} : { proactive_enabled },
                metadata: metadata ?? {},
                endUser: end_user ?? {},
                newThread: new_thread
              })
              .pipe(
                Effect.catchTags({
                  CharacterUnavailable: ({ reason }) =>
                    Effect.fail(
                      { not_found: characterNotFound, archived: characterArchived, not_ready: characterNotReady }[
                        reason
                      ].about(`body.${slugFieldOf(request.body)}`)
                    ),
                  QuotaReached: () => Effect.fail(demoQuotaExceeded("sessions"))
                })
              )
            return {
              ...success({ ...toSessionResource(session), created }, actions(session.session_id)),
              ignored: created ? [] : notTakenOver(request.body, session)
            }
          })
        )
      )
  )

  app.get(
    "/v1/sessions",
    {
      config: { demo: true },
      schema: {
        operationId: "listSessions",
        summary: "List the app's sessions, newest first",
        tags,
        querystring: z.object({
          character_slug: z.string().max(200).optional(),
          external_user_ref: z.string().max(512).optional(),
          status: z.enum(["active", "exited", "archived"]).optional(),
          ...listQuery
        }),
        response: answers(SessionPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { character_slug = null, external_user_ref = null, status = null, cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* Sessions.use((sessions) =>
            sessions.list(request.principal.appId, {
              characterSlug: character_slug,
              externalUserRef: external_user_ref,
              status,
              before,
              limit: limit + 1
            })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.session_id)
          return success(
            { sessions: items.map(toSessionResource), next_cursor },
            items.slice(0, 1).flatMap((item) => actions(item.session_id))
          )
        })
      )
  )

  app.get(
    "/v1/sessions/:session_id",
    {
      config: { demo: true },
      schema: {
        operationId: "getSession",
        summary: "Get a session",
        tags,
        params,
        response: answers(SessionData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const session = yield* findSession(request.principal.appId, request.params.session_id)
          return success(toSessionResource(session), actions(session.session_id))
        })
      )
  )
}
