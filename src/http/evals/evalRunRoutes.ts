import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { compare } from "#pipeline/evals/compare.ts"
import { Characters } from "#src/db/character/Characters.ts"
import {
  EVAL_STATUSES,
  EvalRuns,
  type ListedRun,
  MOST_OPEN_RUNS,
  type RunOrder,
  type StoredResult,
  type StoredRun,
  toCaseResults,
  worstOf
} from "#src/db/evals/EvalRuns.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { toUsd } from "#src/http/billing/caps.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { versionNotFound, characterNotFound } from "#src/http/character/characterErrors.ts"
import {
  evalBudgetRequired,
  evalNotFunded,
  evalRunNotFinished,
  evalRunNotFound,
  evalSuiteNotFound
} from "./evalErrors.ts"
import { rateLimited, validationError } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, numberCursorKey, page } from "#src/http/server/listing.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import { CompareData, EvalRunData, EvalRunPage, RegradeCreate, ResultPage, RunCreate } from "./evalsSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { evalRunExists, evalSuiteExists } from "./evalExists.ts"

const iso = (time: Date | null) => time?.toISOString() ?? null

const toResource = (run: ListedRun) => ({
  id: run.run_id,
  suite_id: run.suite_id,
  status: run.status,
  character_slug: run.character_slug,
  character_version: run.character_version,
  reply_mode: run.reply_mode,
  engine: run.engine,
  repeats: run.repeats,
  seed: run.seed,
  baseline_run_id: run.baseline_run_id,
  regrade_of: run.regrade_of,
  max_cost_usd: toUsd(run.max_cost_micro_usd),
  cost_usd: toUsd(run.spent_micro_usd),
  progress: { done: run.done, total: run.total },
  verdict: run.verdict,
  gates: run.gate_results ?? [],
  metrics: run.metrics,
  error_code: run.error_code,
  created_at: run.created_at.toISOString(),
  started_at: iso(run.started_at),
  finished_at: iso(run.finished_at)
})

/** What was said and seen, without scores, which leave by one way only (contract 2.5). */
const toResult = ({ case_key, repeat, status, checks, trajectory, cost_micro_usd, finished_at }: StoredResult) => {
  const keys = new Map(Object.entries(trajectory?.memory_ids ?? {}).map(([key, id]) => [id, key]))
  const named = (ids: ReadonlyArray<string>) => ids.flatMap((id) => keys.get(id) ?? [])
  return {
    case_key,
    repeat,
    status,
    checks: checks ?? [],
    greeting: trajectory?.greeting ?? [],
    turns: (trajectory?.turns ?? []).map((turn) => ({
      user: turn.user,
      outcome: turn.outcome,
      reason: turn.reason,
      bubbles: turn.bubbles,
      safety: turn.safety,
      refused_by: turn.refused_by,
      retrieved: named(turn.retrieved),
      cited: named(turn.cited),
      emotion: turn.emotion.label,
      opened: turn.opened,
      resolved: turn.resolved,
      latency_ms: turn.latency_ms,
      cost_usd: toUsd(turn.cost_micro_usd)
    })),
    cost_usd: toUsd(cost_micro_usd),
    finished_at: iso(finished_at)
  }
}

const find = Effect.fnUntraced(function* (appId: string, id: string) {
  const run = isId("evr", id) ? yield* EvalRuns.use((runs) => runs.get(appId, id)) : undefined
  return run ?? (yield* evalRunNotFound)
})
const findFinished = Effect.fnUntraced(function* (appId: string, id: string) {
  const run = yield* find(appId, id)
  return run.finished_at === null ? yield* evalRunNotFinished(id) : run
})

/**
 * Begins a run within its bound: one that may cost something needs a bound for its dearest case, and an app that can
 * pay for its first.
 */
const begin = Effect.fnUntraced(function* (
  appId: string,
  { max_cost_usd, ...order }: Omit<RunOrder, "max_cost_micro_usd"> & { readonly max_cost_usd: number | undefined }
) {
  const runs = yield* EvalRuns
  const most = Math.round((max_cost_usd ?? 0) * 1_000_000)
  const dearest = Math.max(...order.cases.map((one) => worstOf(runs.pricing, order, one)))
  if (dearest > most) return yield* evalBudgetRequired(toUsd(dearest))
  return yield* runs.create(appId, { ...order, max_cost_micro_usd: most }).pipe(
    Effect.catchTags({
      EvalUnfunded: () => Effect.fail(evalNotFunded),
      TooManyEvals: () =>
        Effect.fail(
          rateLimited(
            `The app has ${MOST_OPEN_RUNS} runs of evals that have not ended, which is as many as it may have.`
          )
        )
    })
  )
})

export const evalRunRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Evals"]
  const list = "/v1/evals/runs"
  const one = `${list}/:run_id`
  const params = z.object({ run_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const shown = (run: StoredRun) =>
    success(toResource(run), [
      { command: curl(baseUrl(), "GET", `${list}/${run.run_id}`), description: "See how far it is" },
      { command: curl(baseUrl(), "GET", `${list}/${run.run_id}/results?status=fail`), description: "See what failed" }
    ])

  app.post(
    "/v1/evals/suites/:suite_id/runs",
    {
      config: { exists: evalSuiteExists, writes: true },
      schema: {
        operationId: "createEvalRun",
        summary: "Have a suite played against a version of its character, in sessions that nobody else sees",
        tags,
        params: z.object({ suite_id: z.string() }),
        headers,
        body: RunCreate,
        response: answers(EvalRunData.extend(created), 402, 404, 409, 413)
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
            const { suite_id: id } = request.params
            const {
              character_version,
              reply_mode,
              engine,
              repeats,
              seed,
              baseline_run_id = null,
              max_cost_usd
            } = request.body
            const suite = isId("evs", id) ? yield* EvalSuites.use((suites) => suites.get(appId, id)) : undefined
            if (suite === undefined) return yield* evalSuiteNotFound
            const character = yield* Characters.use((characters) => characters.get(appId, suite.character_slug))
            if (character === undefined) return yield* characterNotFound
            if (character_version !== undefined && character_version > character.version) return yield* versionNotFound
            if (baseline_run_id !== null) yield* find(appId, baseline_run_id)
            const { suite_id, character_slug, cases, gates } = suite
            return shown(
              yield* begin(appId, {
                suite_id,
                character_slug,
                character_version: character_version ?? character.version,
                reply_mode,
                engine,
                repeats,
                seed,
                cases,
                gates,
                baseline_run_id,
                regrade_of: null,
                max_cost_usd
              })
            )
          })
        )
      )
  )

  app.get(
    list,
    {
      schema: {
        operationId: "listEvalRuns",
        summary: "Runs of the app's suites, newest first",
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
          return success({ runs: items.map(toResource), next_cursor })
        })
      )
  )

  app.get(
    one,
    {
      schema: {
        operationId: "getEvalRun",
        summary: "How far a run is, and what it came to",
        tags,
        params,
        response: answers(EvalRunData, 404)
      }
    },
    (request, reply) => answer(request, reply, Effect.map(find(request.principal.appId, request.params.run_id), shown))
  )

  app.get(
    `${one}/results`,
    {
      config: { exists: evalRunExists },
      schema: {
        operationId: "listEvalResults",
        summary: "What became of each case and repeat that is done, in the order of the suite",
        tags,
        params,
        querystring: z.object({ status: z.enum(["pass", "fail", "skipped", "error"]).optional(), ...listQuery }),
        response: answers(ResultPage, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { status = null, cursor, limit } = request.query
          const after = yield* numberCursorKey(cursor)
          const { run_id } = yield* find(request.principal.appId, request.params.run_id)
          const rows = yield* EvalRuns.use((runs) =>
            runs.results(request.principal.appId, run_id, { status, after, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => String(row.place))
          return success({ results: items.map(toResult), next_cursor })
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
          "Hold a run against another of the same cases: what flipped, and whether it is worse by more than chance",
        tags,
        params,
        querystring: z.object({
          baseline: z
            .string()
            .max(64)
            .optional()
            .describe("The run to compare with; the one that the run was begun with when left out")
        }),
        response: answers(CompareData, 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const run = yield* find(appId, request.params.run_id)
          const baselineId = request.query.baseline ?? run.baseline_run_id
          if (baselineId === null)
            return yield* validationError("query.baseline: Required, for the run was begun without a baseline")
          const baseline = yield* findFinished(appId, baselineId)
          if (run.finished_at === null) return yield* evalRunNotFinished(run.run_id)
          const runs = yield* EvalRuns
          const results = (of: StoredRun) =>
            Effect.map(runs.allResults(appId, of.run_id), (rows) => toCaseResults(of.cases, rows))
          return success({
            run_id: run.run_id,
            baseline_run_id: baselineId,
            ...compare(yield* results(run), yield* results(baseline), run.seed)
          })
        })
      )
  )

  app.post(
    `${one}/cancel`,
    {
      config: { exists: evalRunExists, writes: true },
      schema: {
        operationId: "cancelEvalRun",
        summary: "Begin no further case of a run; one that has ended stays as it is",
        tags,
        params,
        headers,
        response: answers(EvalRunData.extend(created), 404)
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
      config: { exists: evalRunExists, writes: true },
      schema: {
        operationId: "regradeEvalRun",
        summary:
          "Hold what a run has played against the checks and gates that its suite has now, as a new run that " +
          "plays nothing",
        tags,
        params,
        headers,
        body: RegradeCreate.prefault({}),
        response: answers(EvalRunData.extend(created), 402, 404, 409, 413)
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
            const run = yield* findFinished(appId, request.params.run_id)
            // Of a suite that is gone what the run knows of it is left.
            const { cases, gates } = (yield* EvalSuites.use((suites) => suites.get(appId, run.suite_id))) ?? run
            const { suite_id, character_slug, character_version, reply_mode, engine, repeats, seed, baseline_run_id } =
              run
            return shown(
              yield* begin(appId, {
                suite_id,
                character_slug,
                character_version,
                reply_mode,
                engine,
                repeats,
                seed,
                cases,
                gates,
                baseline_run_id,
                regrade_of: run.run_id,
                max_cost_usd: request.body.max_cost_usd
              })
            )
          })
        )
      )
  )
}
