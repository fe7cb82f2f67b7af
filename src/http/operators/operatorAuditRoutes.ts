import * as Effect from "effect/Effect"
import * as z from "zod"
import { type AuditFilter, OperatorAudit, type OperatorAuditEntry } from "#src/db/operators/OperatorAudit.ts"
import { success } from "#src/http/server/envelope.ts"
import { cursorKey, page } from "#src/http/server/listing.ts"
import { answers, answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { toAuditDetail } from "#src/http/tenancy/auditDetail.ts"
import { toCsv } from "./auditCsv.ts"
import { AuditExportQuery, AuditQuery, OperatorAuditPage } from "./operatorAccessSchemas.ts"

const moment = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text))

const toFilter = (query: Omit<z.output<typeof AuditExportQuery>, "format" | "limit">): AuditFilter => ({
  actorKind: query.actor_kind ?? null,
  actor: query.actor ?? null,
  action: query.action ?? null,
  appId: query.app_id ?? null,
  subject: query.subject ?? null,
  since: moment(query.since),
  until: moment(query.until)
})

const toResource = (entry: OperatorAuditEntry) => ({
  id: entry.entry_id,
  at: entry.at.toISOString(),
  action: entry.action,
  actor: { kind: entry.actor_kind, id: entry.actor, address: entry.address, credential: entry.credential },
  account_id: entry.account_id,
  app_id: entry.app_id,
  subject: entry.subject,
  detail: toAuditDetail(entry)
})
export type AuditResource = ReturnType<typeof toResource>

/** A page of entries that fit a query, newest first. */
const readEntries = Effect.fnUntraced(function* (query: Omit<z.output<typeof AuditExportQuery>, "format">) {
  const { cursor, limit } = query
  const before = yield* cursorKey(cursor)
  const rows = yield* OperatorAudit.use((audit) => audit.list(toFilter(query), { before, limit: limit + 1 }))
  const { items, next_cursor } = page(rows, limit, (row) => row.entry_id)
  return { entries: items.map(toResource), next_cursor }
})

/** The audit log of the server. */
export const operatorAuditRoutes: Routes = ({ app, answer, run }) => {
  app.get(
    "/admin/audit",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listAudit",
        summary: "List who did what: operators, and everybody whose changes are recorded. Newest first",
        querystring: AuditQuery,
        response: answers(OperatorAuditPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(readEntries(request.query), (read) => success(read))
      )
  )

  app.get(
    "/admin/audit/export",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "exportAudit",
        summary:
          "Export entries of the audit log as CSV or as JSON lines, newest first. If there are more, the header " +
          "X-Next-Cursor has the cursor of the next request",
        querystring: AuditExportQuery,
        response: answersAs("text/csv", z.string())
      }
    },
    async (request, reply) => {
      const { format } = request.query
      const { entries, next_cursor } = await run(reply, readEntries(request.query))
      if (next_cursor !== null) void reply.header("x-next-cursor", next_cursor)
      void reply.header("content-disposition", `attachment; filename="audit.${format}"`)
      return format === "csv"
        ? reply.type("text/csv; charset=utf-8").send(toCsv(entries))
        : reply
            .type("application/jsonl; charset=utf-8")
            .send(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
    }
  )
}
