import * as Effect from "effect/Effect"
import * as z from "zod"
import { type RunRow, Traces } from "#src/db/Traces.ts"
import { success } from "../envelope.ts"
import { findSession } from "../findSession.ts"
import { listQuery, numberCursorKey, page } from "../listing.ts"
import { answers } from "../schemas/answers.ts"
import type { Routes } from "../Server.ts"

const toResource = (row: RunRow) => ({
  trace_id: row.run_ref,
  kind: row.kind,
  status: row.status,
  attempts: row.attempts,
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.settled_at?.toISOString() ?? null,
  error_code: row.failure_reason
})

const RunsData = z.object({
  runs: z.array(z.object({
    trace_id: z.string().describe("Equals the run_ref of the turn"),
    kind: z.enum(["reply", "proactive"]),
    status: z.enum(["queued", "running", "replied", "withheld", "exited", "failed"]),
    attempts: z.int(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    error_code: z.string().nullable()
  })),
  next_cursor: z.string().nullable()
})

export const runRoutes: Routes = ({ app, answer }) => {
  app.get("/v1/sessions/:session_id/runs", {
    config: { demo: true, within: "session" },
    schema: {
      operationId: "listRuns",
      summary: "What is being done and was done in a session, newest first",
      tags: ["Observability"],
      params: z.object({ session_id: z.string() }),
      querystring: z.object(listQuery),
      response: answers(RunsData, 404)
    }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const { appId } = request.principal
      const sessionId = request.params.session_id
      const { limit, cursor } = request.query
      const before = yield* numberCursorKey(cursor)
      yield* findSession(appId, sessionId)
      const rows = yield* Traces.use((traces) => traces.runsOf(appId, sessionId, { before, limit: limit + 1 }))
      const { items, next_cursor } = page(rows, limit, (row) => String(row.turn_index))
      return success({ runs: items.map(toResource), next_cursor })
    })))
}
