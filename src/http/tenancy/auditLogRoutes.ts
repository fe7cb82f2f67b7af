import * as Effect from "effect/Effect"
import * as z from "zod"
import { AuditEntries, type AuditEntry } from "#src/db/tenancy/AuditEntries.ts"
import { ACCOUNT_PLANE } from "./accountPlane.ts"
import { toAuditDetail } from "./auditDetail.ts"
import { success } from "#src/http/server/envelope.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { AuditPage } from "./accountSchemas.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const toResource = (entry: AuditEntry) => ({
  id: entry.entry_id,
  at: entry.at.toISOString(),
  action: entry.action,
  // Which of the operators it was is not for accounts to know.
  actor: { kind: entry.actor_kind, id: entry.actor_kind === "operator" ? null : entry.actor },
  app_id: entry.app_id,
  subject: entry.subject,
  detail: toAuditDetail(entry)
})

/** The audit log of an account. */
export const auditLogRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/account/audit-log",
    {
      config: { auth: { account: "apps:read" } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "listAuditLog",
        summary: "List the changes to the account and its tokens, apps and keys, with who made them, newest first",
        querystring: z.object({
          app_id: z.string().max(100).optional().describe("Only entries about this app"),
          ...listQuery
        }),
        response: answers(AuditPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId = null, cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* AuditEntries.use((entries) =>
            entries.list(request.account.accountId, { appId, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.entry_id)
          return success({ entries: items.map(toResource), next_cursor })
        })
      )
  )
}
