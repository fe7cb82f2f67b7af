import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type FoundSession, type SessionPosition, SessionSearch } from "#src/db/operators/SessionSearch.ts"
import { success } from "#src/http/server/envelope.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { anySessionNotFound } from "./operatorErrors.ts"
import { OperatorSession, OperatorSessionPage, OperatorSessionQuery } from "./operatorSessionSchemas.ts"

/** The session that a path names. */
export const findAnySession = Effect.fnUntraced(function* (sessionId: string) {
  const found = isId("ses", sessionId) ? yield* SessionSearch.use((sessions) => sessions.get(sessionId)) : undefined
  return found ?? (yield* anySessionNotFound)
})

const POSITION = /^(?:(\d{1,16})-)?(ses_[0-9A-Z]{26})$/

/** Where a page of sessions begins, from its cursor. A list by crises has other cursors than one without. */
export const sessionPositionOf = (cursor: string | undefined, isByCrisis: boolean) =>
  Effect.map(
    placeCursorKey(cursor, (key) => {
      const [, crisisAt, id = ""] = POSITION.exec(key) ?? []
      return isId("ses", id) && (crisisAt !== undefined) === isByCrisis
    }),
    (key): SessionPosition | null => {
      const [, crisisAt, id = ""] = key === null ? [] : (POSITION.exec(key) ?? [])
      return key === null ? null : { crisisAt: crisisAt === undefined ? null : Number(crisisAt), id }
    }
  )

/** The cursor of the next page. Null: there is none. */
export const sessionCursor = (next: SessionPosition | null) =>
  nextCursor(next === null ? null : next.crisisAt === null ? next.id : `${next.crisisAt}-${next.id}`)

/** The metadata of a session is left out: an app may have written anything into it. */
export const toOperatorSession = (row: FoundSession) => ({
  id: row.session_id,
  app_id: row.app_id,
  app_name: row.app_name,
  character_slug: row.character_slug,
  character_name: row.character_name,
  external_user_ref: row.external_user_ref,
  status: row.status,
  exit: row.exited_at === null ? null : { reason_code: row.exit_reason, at: row.exited_at.toISOString() },
  last_cursor: row.last_cursor,
  turn_count: row.turn_count,
  open_turns: row.open_turns,
  created_at: row.created_at.toISOString(),
  last_user_at: row.last_user_at?.toISOString() ?? null,
  last_character_at: row.last_character_at?.toISOString() ?? null
})

/** The sessions of every app. */
export const operatorSessionRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/sessions",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listOperatorSessions",
        summary:
          "Search the sessions of every app, those that began last first. Nothing that was said in them is shown",
        querystring: OperatorSessionQuery,
        response: answers(OperatorSessionPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id, external_user_ref, character_slug, status, crisis_since, cursor, limit } = request.query
          const before = yield* sessionPositionOf(cursor, crisis_since !== undefined)
          const filter = {
            appId: app_id ?? null,
            externalUserRef: external_user_ref ?? null,
            person: request.query.person ?? null,
            characterSlug: character_slug ?? null,
            character: request.query.character ?? null,
            status: status ?? null,
            crisisSince: crisis_since === undefined ? null : new Date(crisis_since)
          }
          const { rows, next } = yield* SessionSearch.use((sessions) => sessions.list(filter, { before, limit }))
          return success({ sessions: rows.map(toOperatorSession), next_cursor: sessionCursor(next) })
        })
      )
  )

  app.get(
    "/admin/sessions/:session_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getOperatorSession",
        summary: "Get the state of a session of any app",
        params: z.object({ session_id: z.string() }),
        response: answers(OperatorSession, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(findAnySession(request.params.session_id), (row) => success(toOperatorSession(row)))
      )
  )
}
