import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { operatorTokenNotFound } from "./operatorAccessErrors.ts"
import {
  OperatorTokenCreate,
  OperatorTokenCreated,
  OperatorTokenData,
  OperatorTokenPage
} from "./operatorAccessSchemas.ts"
import { isTokenPrefix, toOperatorToken } from "./operatorTokenResource.ts"

/** Tokens with which machines act as operators. Only owners manage them. */
export const operatorTokenRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/tokens",
    {
      config: { auth: { operator: "owner" } },
      schema: {
        operationId: "listOperatorTokens",
        summary: "List the operator tokens, newest first, including ended ones",
        querystring: z.object(listQuery),
        response: answers(OperatorTokenPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* OperatorTokens.use((tokens) => tokens.list({ before, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.prefix)
          const nowMs = yield* Clock.currentTimeMillis
          return success({ tokens: items.map((token) => toOperatorToken(token, nowMs)), next_cursor })
        })
      )
  )

  app.post(
    "/admin/tokens",
    {
      config: { auth: { operator: "owner" }, writes: true },
      schema: {
        operationId: "createOperatorToken",
        summary: "Create an operator token. The whole token is shown only once",
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: OperatorTokenCreate,
        response: answers(OperatorTokenCreated.extend(created))
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { name, role, expires_in_days: days } = request.body
            const { secret, ...token } = yield* OperatorTokens.use((tokens) => tokens.create({ name, role, days }))
            return {
              ...success(toOperatorToken(token, yield* Clock.currentTimeMillis)),
              shownOnce: { token: secret }
            }
          })
        )
      )
  )

  app.delete(
    "/admin/tokens/:prefix",
    {
      config: { auth: { operator: "owner" }, writes: true },
      schema: {
        operationId: "revokeOperatorToken",
        summary: "Revoke an operator token, at once and permanently",
        params: z.object({ prefix: z.string() }),
        response: answers(OperatorTokenData, "token_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { prefix } = request.params
          if (!isTokenPrefix(prefix)) return yield* operatorTokenNotFound
          const revoked = yield* OperatorTokens.use((tokens) => tokens.revoke(prefix))
          return success(toOperatorToken(revoked ?? (yield* operatorTokenNotFound), yield* Clock.currentTimeMillis))
        })
      )
  )
}
