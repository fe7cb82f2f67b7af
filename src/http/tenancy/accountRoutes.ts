import * as Effect from "effect/Effect"
import * as z from "zod"
import { Accounts } from "#src/db/tenancy/Accounts.ts"
import { type AccountToken, AccountTokens } from "#src/db/tenancy/AccountTokens.ts"
import { ACCOUNT_PLANE } from "./accountPlane.ts"
import { accountCurl, success } from "#src/http/server/envelope.ts"
import { tokenNotFound } from "./tenancyErrors.ts"
import { internalError, scopeMissing } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { AccountData, TokenRevoke, TokenRevoked } from "./accountSchemas.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const toTokenResource = (token: AccountToken) => ({
  prefix: token.prefix,
  client_name: token.client_name,
  scopes: token.scopes,
  created_at: token.created_at.toISOString(),
  expires_at: token.expires_at.toISOString(),
  last_used_at: token.last_used_at?.toISOString() ?? null
})

/** The account of a token, and its tokens. */
export const accountRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.get(
    "/v1/account",
    {
      config: { auth: { account: null } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAccount",
        summary: "Get the account that the token belongs to",
        response: answers(AccountData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { accountId, token } = request.account
          const account = (yield* Accounts.use((accounts) => accounts.get(accountId))) ?? (yield* internalError)
          const tokens = yield* AccountTokens.use((tokens) => tokens.list(accountId))
          return success(
            {
              account_id: accountId,
              name: account.name,
              email: account.email,
              created_at: account.created_at.toISOString(),
              token: toTokenResource(token),
              tokens: tokens.map(toTokenResource)
            },
            [
              {
                command: accountCurl(baseUrl(), "GET", "/v1/account/apps"),
                description: "List the apps of this account"
              },
              {
                command: accountCurl(baseUrl(), "POST", "/v1/account/apps", { name: "My app" }),
                description: "Create an app"
              }
            ]
          )
        })
      )
  )

  app.post(
    "/v1/account/token/revoke",
    {
      config: { auth: { account: null }, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "revokeAccountToken",
        summary: "Permanently revoke the token of this request, or another token of the account",
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: TokenRevoke,
        response: answers(TokenRevoked.extend(created), "scope_missing", "token_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { accountId, token } = request.account
            const prefix = request.body?.prefix ?? token.prefix
            if (prefix !== token.prefix && !token.scopes.includes("keys:write"))
              return yield* scopeMissing("keys:write")
            const revoked = yield* AccountTokens.use((tokens) => tokens.revoke(accountId, prefix))
            return revoked ? success({ prefix, revoked: true }) : yield* tokenNotFound.about("body.prefix")
          })
        )
      )
  )
}
