import * as Effect from "effect/Effect"
import * as z from "zod"
import {
  isAppPosition,
  isSessionPosition,
  type Run,
  RUN_KINDS,
  RUN_STATUSES,
  type RunPage,
  Runs
} from "#src/db/conversation/Runs.ts"
import { success } from "#src/http/server/envelope.ts"
import { findSession } from "./findSession.ts"
import { listQuery, nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"

const utc = (time: string | null) => (time === null ? null : new Date(time).toISOString())

const toResource = (run: Run) => ({
  trace_id: run.run_ref,
  parent_trace_id: run.parent_ref,
  session_id: run.session_id,
  kind: run.kind,
  status: run.status,
  attempts: run.attempts,
  started_at: utc(run.started_at),
  finished_at: utc(run.finished_at),
  error_code: run.error_code
})
const toData = ({ runs, next }: RunPage) => ({ runs: runs.map(toResource), next_cursor: nextCursor(next) })

const RunsData = z
  .object({
    runs: z.array(
      z.object({
        trace_id: z
          .string()
          .describe(
            "Unique. A turn has its run_ref, a relational_update the run_ref with -update added, " +
              "an eval the id of its run. Images, probes and research have their own"
          ),
        parent_trace_id: z
          .string()
          .nullable()
          .describe("The turn that a relational_update, or an image requested by a reply, belongs to"),
        session_id: z.string().nullable().describe("null: the run belongs to no session"),
        kind: z
          .enum(RUN_KINDS)
          .describe(
            "relational_update: analysis of a turn after its reply, for memories and the " +
              "relationship. image: an image that was requested, listed with the turn before " +
              "it, or on its own if there is none. eval: a whole run of a suite"
          ),
        status: z.enum(RUN_STATUSES).describe("A relational_update is queued, then completed"),
        attempts: z.int(),
        started_at: z.iso.datetime().nullable(),
        finished_at: z.iso.datetime().nullable(),
        error_code: z.string().nullable()
      })
    ),
    next_cursor: z
      .string()
      .nullable()
      .describe("A filtered page can be short or empty and still not be the last. Continue until it is null")
  })
  .meta({ title: "RunPage" })

export const runRoutes: Routes = ({ app, answer }) => {
  const tags = ["Observability"]
  const querystring = z.object({
    kind: z.enum(RUN_KINDS).optional(),
    status: z.enum(RUN_STATUSES).optional(),
    ...listQuery
  })

  app.get(
    "/v1/sessions/:session_id/runs",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listRuns",
        summary: "List the runs of a session, newest first",
        tags,
        params: z.object({ session_id: z.string() }),
        querystring,
        response: answers(RunsData, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const sessionId = request.params.session_id
          const { kind = null, status = null, limit, cursor } = request.query
          const after = yield* placeCursorKey(cursor, isSessionPosition)
          yield* findSession(appId, sessionId)
          return success(
            toData(yield* Runs.use((runs) => runs.ofSession(appId, sessionId, { kind, status, after, limit })))
          )
        })
      )
  )

  app.get(
    "/v1/runs",
    {
      config: { demo: true },
      schema: {
        operationId: "listAppRuns",
        summary: "List the runs of the app, inside and outside of its sessions, newest first",
        tags,
        querystring,
        response: answers(RunsData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { kind = null, status = null, limit, cursor } = request.query
          const after = yield* placeCursorKey(cursor, isAppPosition)
          return success(
            toData(yield* Runs.use((runs) => runs.ofApp(request.principal.appId, { kind, status, after, limit })))
          )
        })
      )
  )
}
