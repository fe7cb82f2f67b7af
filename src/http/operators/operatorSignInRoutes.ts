import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { prefixLength } from "#src/accounts/credential.ts"
import { type OperatorSession, OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { success } from "#src/http/server/envelope.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { operatorSessionNotFound } from "./operatorAccessErrors.ts"
import { OperatorData, SignInPage, SignInRevoked } from "./operatorAccessSchemas.ts"

const toSignIn = (session: OperatorSession, current: string | undefined) => ({
  prefix: session.prefix,
  operator: session.operator_id,
  name: session.name,
  role: session.role,
  method: session.method,
  address: session.address,
  user_agent: session.user_agent,
  is_current: session.prefix === current,
  created_at: session.created_at.toISOString(),
  expires_at: session.expires_at.toISOString(),
  last_used_at: session.last_used_at.toISOString()
})

/** Whether the text can name a session. */
export const isSessionPrefix = (text: string): boolean =>
  text.length === prefixLength("os_") && /^os_[0-9A-Za-z]+$/.test(text)

/** Whose sessions an operator sees and ends: an owner everybody's (null), the others their own. */
export const reachOf = ({ operator }: FastifyRequest): string | null => (operator.role === "owner" ? null : operator.id)

/** Who the caller is, and the sessions of operators in browsers. */
export const operatorSignInRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/me",
    {
      config: { auth: { operator: "viewer" } },
      schema: { operationId: "getOperator", summary: "Get who the caller is", response: answers(OperatorData) }
    },
    (request, reply) => {
      const { id, name, role, via, sessionId } = request.operator
      return answer(request, reply, Effect.succeed(success({ id, name, role, via, session: sessionId ?? null })))
    }
  )

  app.get(
    "/admin/sign-ins",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listSignIns",
        summary: "List the open sessions of operators in browsers, newest first: an owner all, the others their own",
        querystring: z.object(listQuery),
        response: answers(SignInPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* OperatorSessions.use((sessions) =>
            sessions.list({ operatorId: reachOf(request), before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.prefix)
          const { sessionId } = request.operator
          return success({ sign_ins: items.map((session) => toSignIn(session, sessionId)), next_cursor })
        })
      )
  )

  app.delete(
    "/admin/sign-ins/:prefix",
    {
      config: { auth: { operator: "viewer" }, writes: true },
      schema: {
        operationId: "revokeSignIn",
        summary: "End a session of an operator at once: an owner any, the others their own",
        params: z.object({ prefix: z.string() }),
        response: answers(SignInRevoked, "operator_session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { prefix } = request.params
          const by = { operatorId: reachOf(request), signOut: false }
          const revoked =
            isSessionPrefix(prefix) && (yield* OperatorSessions.use((sessions) => sessions.revoke(prefix, by)))
          return revoked ? success({ prefix, revoked: true }) : yield* operatorSessionNotFound
        })
      )
  )
}
