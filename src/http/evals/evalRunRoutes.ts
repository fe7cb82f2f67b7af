import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { EVAL_STATUSES, EvalRuns, type StoredRun } from "#src/db/evals/EvalRuns.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listedPage, listQuery, numberCursorKey, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { compareRuns } from "./compareRuns.ts"
import { findEvalRun } from "./findEvalRun.ts"
import { CompareData } from "./evalCompareSchemas.ts"
import { ResultPage } from "./evalResultSchemas.ts"
import { toEvalResult, toEvalRun } from "./evalRunResource.ts"
import { EvalRunData, EvalRunPage, RegradeCreate, RunCreate } from "./evalRunSchemas.ts"
import { playSuite } from "./playSuite.ts"
import { regradeRun } from "./regradeRun.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { evalRunNotFound } from "./evalErrors.ts"
import { evalRunExists, evalSuiteExists } from "./evalExists.ts"

export const evalRunRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Evals"]
  const list = "/v1/evals/runs"
  const one = `${list}/:run_id`
  const params = z.object({ run_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const shown = (run: StoredRun) =>
    success(toEvalRun(run), [
      { command: curl(baseUrl(), "GET", `${list}/${run.run_id}`), description: "See the progress" },
      {
        command: curl(baseUrl(), "GET", `${list}/${run.run_id}/results?status=fail`),
        description: "List the failed cases"
      }
    ])

  app.post(
    "/v1/evals/suites/:suite_id/runs",
    {
      config: { exists: evalSuiteExists, writes: true, cost: { pays: "the run" } },
      schema: {
        operationId: "createEvalRun",
        summary: "Run a suite against a version of its character, in sessions that the app does not see",
        tags,
        params: z.object({ suite_id: z.string() }),
        headers,
        body: RunCreate,
        response: answers(
          EvalRunData.extend(created),
          "budget_exceeded",
          "character_not_found",
          "eval_run_not_found",
          "eval_suite_not_found",
          "version_not_found",
          "eval_budget_required"
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
            const { appId } = request.principal
            return shown(yield* playSuite(appId, request.params.suite_id, request.body))
          })
        )
      )
  )

  app.get(
    list,
    {
      schema: {
        operationId: "listEvalRuns",
        summary: "List the app's eval runs, newest first",
        tags,
        querystring: z.object({
          suite_id: z.string().max(64).optional(),
          status: z.enum(EVAL_STATUSES).optional(),
          ...listQuery
        }),
        response: answers(EvalRunPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { suite_id: suiteId = null, status = null, cursor, limit } = request.query
          const before = yield* cursorKey(cursor)
          const rows = yield* EvalRuns.use((runs) =>
            runs.list(request.principal.appId, { suiteId, status, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.run_id)
          return success({ runs: items.map(toEvalRun), next_cursor })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getEvalRun",
        summary: "Get the progress and the results of a run",
        tags,
        params,
        response: answers(EvalRunData, "eval_run_not_found")
      }
    },
    (request, reply) =>
      answer(request, reply, Effect.map(findEvalRun(request.principal.appId, request.params.run_id), shown))
  )

  app.get(
    `${one}/results`,
    {
      config: { exists: evalRunExists },
      schema: {
        operationId: "listEvalResults",
        summary: "List the results of the finished cases and repeats, in the order of the suite",
        tags,
        params,
        querystring: z.object({ status: z.enum(["pass", "fail", "skipped", "error"]).optional(), ...listQuery }),
        response: answers(ResultPage, "eval_run_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { status = null, cursor, limit } = request.query
          const after = yield* numberCursorKey(cursor)
          const { run_id } = yield* findEvalRun(request.principal.appId, request.params.run_id)
          const found = yield* EvalRuns.use((runs) =>
            runs.results(request.principal.appId, run_id, { status, after, limit })
          )
          const { items, next_cursor } = listedPage(found, (row) => String(row.place))
          return success({ results: items.map(toEvalResult), next_cursor })
        })
      )
  )

  app.get(
    `${one}/compare`,
    {
      config: { exists: evalRunExists },
      schema: {
        operationId: "compareEvalRuns",
        summary:
          "Compare a run with another run of the same cases: which results " +
          "changed, and whether the run is significantly worse",
        tags,
        params,
        querystring: z.object({
          baseline: z
            .string()
            .max(64)
            .optional()
            .describe("The run to compare with. Default: the baseline that the run was started with")
        }),
        response: answers(CompareData, "eval_run_not_found", "eval_run_not_finished")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          return success(yield* compareRuns(appId, request.params.run_id, request.query.baseline))
        })
      )
  )

  app.post(
    `${one}/cancel`,
    {
      config: { exists: evalRunExists, writes: true },
      schema: {
        operationId: "cancelEvalRun",
        summary: "Cancel a run. No further case is started. A run that has ended does not change",
        tags,
        params,
        headers,
        response: answers(EvalRunData.extend(created), "eval_run_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { run_id: id } = request.params
            const run = isId("evr", id)
              ? yield* EvalRuns.use((runs) => runs.cancel(request.principal.appId, id))
              : undefined
            return run === undefined ? yield* evalRunNotFound : shown(run)
          })
        )
      )
  )

  app.post(
    `${one}/regrade`,
    {
      config: { exists: evalRunExists, writes: true, cost: { pays: "the checks that a model does" } },
      schema: {
        operationId: "regradeEvalRun",
        summary:
          "Grade the recorded conversations of a run again, with the current checks " +
          "and gates of its suite. Creates a new run that plays nothing",
        tags,
        params,
        headers,
        body: RegradeCreate.prefault({}),
        response: answers(
          EvalRunData.extend(created),
          "budget_exceeded",
          "eval_run_not_found",
          "eval_budget_required",
          "eval_run_not_finished"
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
            const { appId } = request.principal
            return shown(yield* regradeRun(appId, request.params.run_id, request.body.max_cost_usd))
          })
        )
      )
  )
}
