import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type postgres from "postgres"
import type { ReplyMode } from "#pipeline/domain/Turn.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { CheckResult, CheckStatus } from "#pipeline/evals/Check.ts"
import { questionsOf } from "#pipeline/evals/judge/judgeCheck.ts"
import type { GateResult, Metrics } from "#pipeline/evals/metrics.ts"
import { checksOf } from "#pipeline/evals/result.ts"
import type { Case, Gate } from "#pipeline/evals/Suite.ts"
import type { Trajectory } from "#pipeline/evals/Trajectory.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type Fitting, fitsOnPage, type Listed, listed } from "#src/db/postgres/fittingRows.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"

export const EVAL_STATUSES = ["queued", "running", "completed", "failed", "cancelled", "budget_stopped"] as const
export type EvalStatus = (typeof EVAL_STATUSES)[number]
export const EVAL_ENGINES = ["default", "offline"] as const

/** The request for a run. Its cases and gates are a copy of the suite's. */
export interface RunOrder {
  readonly suite_id: string
  readonly character_slug: string
  readonly character_version: number
  /** How much of a prompt this version of the character can take up. */
  readonly prompt_bytes: number
  readonly reply_mode: ReplyMode
  readonly engine: (typeof EVAL_ENGINES)[number]
  readonly repeats: number
  readonly seed: number
  readonly cases: ReadonlyArray<Case>
  readonly gates: ReadonlyArray<Gate>
  readonly baseline_run_id: string | null
  readonly regrade_of: string | null
  readonly max_cost_micro_usd: number
}

export interface StoredRun extends RunOrder {
  readonly app_id: string
  readonly run_id: string
  readonly status: EvalStatus
  readonly spent_micro_usd: number
  readonly held_micro_usd: number
  readonly metrics: Metrics | null
  readonly gate_results: ReadonlyArray<GateResult> | null
  readonly verdict: "pass" | "fail" | null
  readonly error_code: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly finished_at: Date | null
  /** The number of case repeats, in total and done. */
  readonly total: number
  readonly done: number
}

type Fragment = postgres.PendingQuery<postgres.Row[]>
/** How much of a prompt this version of a character can take up. */
const promptBytes = (sql: Sql, app: Fragment, slug: Fragment, version: Fragment) => sql`
  coalesce((select v.prompt_bytes from character_versions v
    where v.app_id = ${app} and v.slug = ${slug} and v.version = ${version}), 0)`

/** The columns of a run `r`: what it was requested with, and its progress. */
export const runColumns = (sql: Sql) => sql`
  r.app_id, r.run_id, r.suite_id, r.status, r.character_slug, r.character_version, r.reply_mode, r.engine, r.repeats,
  r.seed, r.cases, r.gates, r.baseline_run_id, r.regrade_of, r.max_cost_micro_usd, r.spent_micro_usd, r.held_micro_usd,
  r.verdict, r.error_code, r.created_at, r.started_at, r.finished_at,
  ${promptBytes(sql, sql`r.app_id`, sql`r.character_slug`, sql`r.character_version`)} as prompt_bytes`

/** Maximum number of results that are read at once. */
const MAX_AT_ONCE = 100

/** A run in a list, without its cases, which may be a megabyte. */
export type ListedRun = Omit<StoredRun, "cases" | "prompt_bytes">

export interface StoredResult {
  readonly place: number
  readonly case_key: string
  readonly repeat: number
  /** Null until it is done. */
  readonly status: CheckStatus | null
  readonly attempts: number
  readonly checks: ReadonlyArray<CheckResult> | null
  readonly trajectory: Trajectory | null
  readonly cost_micro_usd: number
  readonly finished_at: Date | null
}

/** The app's budget does not cover the first case. Nothing was written. */
export class EvalUnfunded extends Schema.TaggedError<EvalUnfunded>()("EvalUnfunded", {}) {}

/** Limit for an app's unfinished runs, so that one app does not make others wait for long. */
export const MAX_OPEN_RUNS = 20
export class TooManyEvals extends Schema.TaggedError<TooManyEvals>()("TooManyEvals", {}) {}

export interface EvalPricing {
  /** Whether runs with this engine are free, as with the offline engine. */
  readonly isFree: (engine: RunOrder["engine"]) => boolean
  /** The maximum cost of turns with these messages and this many questions to a judge. */
  readonly worstMicroUsd: (
    mode: ReplyMode,
    messages: ReadonlyArray<string>,
    questions: number,
    characterBytes: number
  ) => number
}

/** The maximum cost of a case of this run, in micro-USD. */
export const worstOf = (
  { isFree, worstMicroUsd }: EvalPricing,
  {
    engine,
    reply_mode,
    regrade_of,
    prompt_bytes
  }: Pick<RunOrder, "engine" | "reply_mode" | "regrade_of" | "prompt_bytes">,
  asked: Case
): number =>
  isFree(engine)
    ? 0
    : worstMicroUsd(
        reply_mode,
        regrade_of === null ? asked.turns.map(({ user }) => user) : [],
        checksOf(asked).reduce((sum, { check }) => sum + questionsOf(check), 0),
        prompt_bytes
      )

/** Runs of suites, and the result of each case. The job `evals` plays them: see EvalQueue. */
export class EvalRuns extends Context.Service<
  EvalRuns,
  {
    readonly pricing: EvalPricing
    /** How much of a prompt this version of a character can take up. */
    readonly promptBytes: (appId: string, slug: string, version: number) => Effect.Effect<number, DatabaseError>
    /**
     * Atomically writes the run with a row for every case repeat, reserves the maximum cost of the first one from the
     * app's budget, and wakes a worker.
     */
    readonly create: (
      appId: string,
      order: RunOrder
    ) => Effect.Effect<StoredRun, EvalUnfunded | TooManyEvals | DatabaseError>
    readonly get: (appId: string, runId: string) => Effect.Effect<StoredRun | undefined, DatabaseError>
    /** Newest first. */
    readonly list: (
      appId: string,
      filter: {
        readonly suiteId: string | null
        readonly status: string | null
        readonly before: string | null
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<ListedRun>, DatabaseError>
    /** The finished ones, in the order of the suite. A page of long conversations has fewer than the limit. */
    readonly results: (
      appId: string,
      runId: string,
      filter: { readonly status: string | null; readonly after: number | null; readonly limit: number }
    ) => Effect.Effect<Listed<StoredResult>, DatabaseError>
    /** All of them. They are read in parts, because they may be many megabytes. */
    readonly allResults: (appId: string, runId: string) => Effect.Effect<ReadonlyArray<StoredResult>, DatabaseError>
    /** No further case is started. A finished run stays as it is. Undefined: no such run. */
    readonly cancel: (appId: string, runId: string) => Effect.Effect<StoredRun | undefined, DatabaseError>
  }
>()("src/db/evals/EvalRuns") {
  static readonly layer = (pricing: EvalPricing) =>
    Layer.effect(
      EvalRuns,
      Effect.gen(function* () {
        const { query, transaction } = yield* Database
        const expenses = yield* Expenses

        const get = (appId: string, runId: string) =>
          query<Array<StoredRun>>(
            (sql) => sql`
      select ${runColumns(sql)}, r.metrics, r.gate_results, c.total, c.done from eval_runs r, lateral (
        select count(*)::int as total, (count(*) filter (where x.status is not null))::int as done from eval_results x
          where x.app_id = r.app_id and x.run_id = r.run_id
      ) c where r.app_id = ${appId} and r.run_id = ${runId}`
          ).pipe(Effect.map((rows) => rows[0]))
        const wake = query((sql) => sql`select graphile_worker.add_job('evals', '{}'::json)`)

        const create = Effect.fnUntraced(function* (appId: string, order: RunOrder) {
          // Serializes creation, so that the limit is exact.
          yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${`evals ${appId}`}, 0))`)
          const [{ open }] = yield* query<[{ open: number }]>(
            (sql) => sql`select count(*)::int as open from eval_runs where app_id = ${appId} and finished_at is null`
          )
          if (open >= MAX_OPEN_RUNS) return yield* new TooManyEvals()
          const runId = newId("evr")
          const first = order.cases[0]
          const held = first === undefined ? 0 : worstOf(pricing, order, first)
          if (
            held > 0 &&
            (yield* expenses.charge({ appId, sessionId: null }, "eval", held, { runRef: runId })) === null
          )
            return yield* new EvalUnfunded()
          yield* query(
            (sql) => sql`
        insert into eval_runs (app_id, run_id, suite_id, character_slug, character_version, reply_mode, engine,
          repeats, seed, cases, gates, baseline_run_id, regrade_of, max_cost_micro_usd, held_micro_usd)
        values (${appId}, ${runId}, ${order.suite_id},
          ${order.character_slug}, ${order.character_version},
            ${order.reply_mode}, ${order.engine}, ${order.repeats}, ${order.seed},
          ${JSON.stringify(order.cases)}::text::json,
            ${JSON.stringify(order.gates)}::text::json,
              ${order.baseline_run_id}, ${order.regrade_of}, ${order.max_cost_micro_usd}, ${held})`
          )
          yield* query(
            (sql) => sql`
        insert into eval_results (app_id, run_id, place, case_key, repeat)
        select ${appId}, ${runId}, (c.n - 1) * ${order.repeats}::int + r.n, c.key, r.n
        from unnest(${order.cases.map(({ key }) => key)}::text[]) with ordinality as c(key, n), generate_series(1,
          ${order.repeats}::int) as r(n)`
          )
          yield* wake
          return (yield* get(appId, runId)) ?? (yield* Effect.die(new Error("a run just written is gone")))
        }, transaction)

        const results = (
          appId: string,
          runId: string,
          {
            status,
            after,
            limit
          }: { readonly status: string | null; readonly after: number | null; readonly limit: number }
        ) =>
          query<Array<StoredResult & Fitting>>(
            (sql) => sql`
      select place, case_key, repeat, status, attempts, case when fits then checks end as checks,
        case when fits then trajectory end as trajectory, cost_micro_usd, finished_at, fits
      from (
        select place, case_key, repeat, status, attempts, checks, trajectory, cost_micro_usd, finished_at,
          ${fitsOnPage(
            sql,
            sql`coalesce(octet_length(checks::text), 0) + coalesce(octet_length(trajectory::text), 0)`,
            sql`place`
          )}
        from eval_results where app_id = ${appId} and run_id = ${runId} and status is not null
          and (${status}::text is null or status = ${status}) and place > ${after ?? 0}::int
        order by place limit ${limit + 1}::int
      ) page order by place`
          ).pipe(Effect.map((rows) => listed(rows, limit, (row) => row)))

        const allResults = Effect.fnUntraced(function* (appId: string, runId: string) {
          const all: Array<StoredResult> = []
          for (let after: number | null = 0; after !== null;) {
            const page: Listed<StoredResult> = yield* results(appId, runId, { status: null, after, limit: MAX_AT_ONCE })
            all.push(...page.items)
            after = page.more ? (page.items.at(-1)?.place ?? null) : null
          }
          return all
        })

        const cancel = Effect.fnUntraced(function* (appId: string, runId: string) {
          const ended = yield* query(
            (sql) => sql`
        update eval_runs set status = 'cancelled'
          where app_id = ${appId} and run_id = ${runId} and status in ('queued', 'running') returning 1`
          )
          if (ended.length > 0) yield* wake
          return yield* get(appId, runId)
        }, transaction)

        return EvalRuns.of({
          pricing,
          promptBytes: (appId, slug, version) =>
            query<[{ bytes: number }]>(
              (sql) => sql`select ${promptBytes(sql, sql`${appId}`, sql`${slug}`, sql`${version}::int`)} as bytes`
            ).pipe(Effect.map(([{ bytes }]) => bytes)),
          create,
          get,
          list: (appId, { suiteId, status, before, limit }) =>
            query<Array<ListedRun>>(
              (sql) => sql`
        select r.app_id, r.run_id, r.suite_id, r.status, r.character_slug, r.character_version, r.reply_mode, r.engine,
          r.repeats, r.seed, r.gates, r.baseline_run_id, r.regrade_of,
          r.max_cost_micro_usd, r.spent_micro_usd, r.held_micro_usd, r.metrics, r.gate_results, r.verdict,
            r.error_code, r.created_at, r.started_at, r.finished_at, c.total, c.done from eval_runs r, lateral (
          select count(*)::int as total, (count(*) filter (where x.status is not null))::int as done
            from eval_results x where x.app_id = r.app_id and x.run_id = r.run_id
        ) c
        where r.app_id = ${appId} and (${suiteId}::text is null
          or r.suite_id = ${suiteId}) and
            (${status}::text is null or r.status = ${status}) and (${before}::text is null or r.run_id < ${before})
        order by r.run_id desc limit ${limit}::int`
            ),
          results,
          allResults,
          cancel
        })
      })
    )
}
