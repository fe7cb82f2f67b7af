import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CheckResult, CheckStatus } from "#pipeline/evals/Check.ts"
import type { GateResult, Metrics } from "#pipeline/evals/metrics.ts"
import type { Trajectory } from "#pipeline/evals/Trajectory.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { type EvalStatus, runColumns, type StoredRun } from "./EvalRuns.ts"

/** A run that this worker owns. */
export type LeasedRun = Omit<StoredRun, "total" | "done" | "metrics" | "gate_results"> & { readonly owner: string }

/** The next case to play. */
export interface NextCase {
  readonly place: number
  readonly case_key: string
  readonly repeat: number
  /** How often it was started before. */
  readonly attempts: number
}

/**
 * The next step of a run. `wait`: cases in progress have to end first. `lost`: another worker owns it, or it was
 * deleted.
 */
export type Step =
  | { readonly kind: "play"; readonly next: NextCase; readonly worstMicroUsd: number }
  | { readonly kind: "end"; readonly status: EvalStatus }
  | { readonly kind: "wait" }
  | { readonly kind: "lost" }

export interface Done {
  readonly status: CheckStatus
  readonly checks: ReadonlyArray<CheckResult>
  readonly trajectory: Trajectory | null
  readonly costMicroUsd: number
}

export interface Ending {
  readonly status: EvalStatus
  readonly metrics: Metrics | null
  readonly gateResults: ReadonlyArray<GateResult>
  readonly verdict: "pass" | "fail" | null
  readonly errorCode: string | null
}

/**
 * Runs that are not finished. Each is owned by one worker, whose death releases it. The reservation from the app's
 * budget covers the cases in progress. It is stored on the run, so that a new owner can refund it.
 */
export class EvalQueue extends Context.Service<
  EvalQueue,
  {
    /**
     * Claims the oldest run that waits or whose worker is dead. Also cancelled runs, which have to be finished. Not
     * those of a suspended app.
     */
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<LeasedRun | undefined, DatabaseError>
    /** Whether this worker should play further cases of the run. */
    readonly isWanted: (run: LeasedRun) => Effect.Effect<boolean, DatabaseError>
    /**
     * Charges the cost of a case whose worker died, from its reservation. False, here and below: another worker owns
     * the run, or it was deleted.
     */
    readonly charge: (run: LeasedRun, microUsd: number) => Effect.Effect<boolean, DatabaseError>
    /**
     * Starts the next case while others are in progress (their indexes, and the maximum cost of each), and reserves its
     * maximum cost, unless that exceeds the run's limit or the app's budget.
     */
    readonly begin: (
      run: LeasedRun,
      playing: ReadonlyMap<number, number>,
      worstOf: (caseKey: string) => number
    ) => Effect.Effect<Step, DatabaseError>
    /** Stores the result of a case, once. */
    readonly done: (run: LeasedRun, next: NextCase, done: Done) => Effect.Effect<boolean, DatabaseError>
    /** Refunds the remaining reservation and stores how the run has ended. A cancelled run stays cancelled. */
    readonly finish: (run: LeasedRun, ending: Ending) => Effect.Effect<void, DatabaseError>
    /** Releases the run to another worker. `stopped`: the attempts at its cases do not count. */
    readonly release: (run: LeasedRun, stopped: boolean) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/evals/EvalQueue") {
  static readonly layer = Layer.effect(
    EvalQueue,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const expenses = yield* Expenses

      /** Locks the run if this worker still owns it. */
      const lock = ({ app_id, run_id, owner }: LeasedRun) =>
        query<Array<Pick<StoredRun, "status" | "spent_micro_usd" | "held_micro_usd">>>(
          (sql) => sql`
      select status, spent_micro_usd, held_micro_usd from eval_runs
        where app_id = ${app_id} and run_id = ${run_id} and owner = ${owner} and finished_at is null for update`
        ).pipe(Effect.map((rows) => rows[0]))
      const payer = ({ app_id }: LeasedRun) => ({ appId: app_id, sessionId: null })
      const charge = Effect.fnUntraced(function* (run: LeasedRun, microUsd: number) {
        const held = yield* lock(run)
        if (held === undefined || microUsd === 0) return held !== undefined
        // The cost may exceed the planned maximum, and is charged all the same.
        const over = microUsd - held.held_micro_usd
        if (over > 0)
          yield* expenses.chargeMore({ ...payer(run), activity: "eval", microUsd: over, runRef: run.run_id })
        yield* query(
          (sql) => sql`
        update eval_runs set spent_micro_usd = spent_micro_usd +
          ${microUsd}::bigint, held_micro_usd = greatest(0,
            held_micro_usd - ${microUsd}::bigint) where app_id = ${run.app_id} and run_id = ${run.run_id}`
        )
        return true
      }, transaction)

      const begin = Effect.fnUntraced(function* (
        run: LeasedRun,
        playing: ReadonlyMap<number, number>,
        worstOf: (caseKey: string) => number
      ): Effect.fn.Return<Step, DatabaseError> {
        const held = yield* lock(run)
        if (held === undefined) return { kind: "lost" }
        if (held.status !== "running") return { kind: "end", status: held.status }
        const [next] = yield* query<Array<NextCase>>(
          (sql) => sql`
        select place, case_key, repeat, attempts from eval_results
        where app_id = ${run.app_id} and run_id =
          ${run.run_id} and status is null
            and not place::text = any(${[...playing.keys()].map(String)}::text[]) order by place limit 1`
        )
        const otherwise = (status: EvalStatus): Step => (playing.size > 0 ? { kind: "wait" } : { kind: "end", status })
        if (next === undefined) return otherwise("completed")
        // Of those that were being played at several crashes, one kills. The others end if they are played alone.
        if (next.attempts > 1 && playing.size > 0) return { kind: "wait" }
        const worst = worstOf(next.case_key)
        const worstOfAll = [...playing.values()].reduce((sum, other) => sum + other, worst)
        if (held.spent_micro_usd + worstOfAll > run.max_cost_micro_usd) return otherwise("budget_stopped")
        const more = worstOfAll - held.held_micro_usd
        if (more > 0) {
          if ((yield* expenses.charge(payer(run), "eval", more, { runRef: run.run_id })) === null)
            return otherwise("budget_stopped")
          yield* query(
            (sql) =>
              sql`update eval_runs set held_micro_usd = held_micro_usd +
                ${more}::bigint where app_id = ${run.app_id} and run_id = ${run.run_id}`
          )
        }
        yield* query(
          (sql) =>
            sql`update eval_results set attempts = attempts + 1, owner = ${run.owner}
              where app_id = ${run.app_id} and run_id = ${run.run_id} and place = ${next.place}::int`
        )
        return { kind: "play", next, worstMicroUsd: worst }
      }, transaction)

      return EvalQueue.of({
        claim: (owner, except) =>
          query<Array<LeasedRun>>(
            (sql) => sql`
        update eval_runs r set owner =
          ${owner}, status = case when r.status = 'queued' then 'running' else r.status end,
            started_at = coalesce(r.started_at, now())
        from (
          select app_id, run_id from eval_runs q
            where app_id <> all(${except}::text[]) and finished_at is null and (owner is null or not exists (select
              from workers w where w.worker_id = q.owner)) and not (${isSuspended(sql, sql`q.app_id`)})
            and (retry_at is null or retry_at <= now())
          order by (select count(*) from eval_runs b where b.app_id = q.app_id and b.finished_at is null
            and b.owner is not null), created_at limit 1 for update skip locked
        ) free
        where r.app_id = free.app_id and r.run_id = free.run_id and exists (select from workers w
          where w.worker_id = ${owner})
        returning ${runColumns(sql)}, r.owner`
          ).pipe(Effect.map((rows) => rows[0])),
        isWanted: ({ app_id, run_id, owner }) =>
          query(
            (sql) => sql`
        select 1 from eval_runs where app_id =
          ${app_id} and run_id = ${run_id} and owner = ${owner} and status = 'running'`
          ).pipe(Effect.map((rows) => rows.length > 0)),
        charge,
        begin,
        done: Effect.fnUntraced(function* (run, { place }, { status, checks, trajectory, costMicroUsd }) {
          if (!(yield* charge(run, costMicroUsd))) return false
          yield* query(
            (sql) => sql`
          update eval_results set status =
            ${status}, checks = ${JSON.stringify(checks)}::text::json,
              trajectory = ${trajectory === null ? null : JSON.stringify(trajectory)}::text::json,
            cost_micro_usd = ${costMicroUsd}::bigint, finished_at = now(), owner = null
          where app_id = ${run.app_id} and run_id = ${run.run_id} and place = ${place}::int and status is null`
          )
          return true
        }, transaction),
        finish: Effect.fnUntraced(function* (run, { status, metrics, gateResults, verdict, errorCode }) {
          const held = yield* lock(run)
          if (held === undefined) return
          if (held.held_micro_usd > 0)
            yield* expenses.refund({
              ...payer(run),
              activity: "eval",
              microUsd: held.held_micro_usd,
              runRef: run.run_id
            })
          yield* query(
            (sql) => sql`
          update eval_runs set status = case when status = 'cancelled' then status
            else ${status} end, held_micro_usd = 0, owner = null, finished_at = now(),
              error_code = ${errorCode}, verdict = ${verdict},
            metrics = ${metrics === null ? null : JSON.stringify(metrics)}::text::json,
              gate_results = ${JSON.stringify(gateResults)}::text::json
          where app_id = ${run.app_id} and run_id = ${run.run_id}`
          )
        }, transaction),
        release: ({ app_id, run_id, owner }, stopped) =>
          Effect.asVoid(
            query(
              (sql) => sql`
            with released as (
              update eval_runs set owner = null
              where app_id = ${app_id} and run_id = ${run_id} and owner = ${owner} returning 1
            )
            update eval_results set owner = null, attempts = attempts - ${stopped}::boolean::int
            where app_id = ${app_id} and run_id = ${run_id} and owner = ${owner} and status is null
              and exists (select from released)`
            )
          )
      })
    })
  )
}
