import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CheckResult, CheckStatus } from "#pipeline/evals/Check.ts"
import type { GateResult, Metrics } from "#pipeline/evals/metrics.ts"
import type { Trajectory } from "#pipeline/evals/Trajectory.ts"
import { Database, type DatabaseError } from "../Database.ts"
import { Expenses } from "../Expenses.ts"
import type { EvalStatus, StoredRun } from "./EvalRuns.ts"

/** A run that this worker is at. */
export type HeldRun = Omit<StoredRun, "total" | "done" | "metrics" | "gate_results"> & { readonly owner: string }

/** What is to be played next. */
export interface NextCase {
  readonly place: number
  readonly case_key: string
  readonly repeat: number
  /** How often it was begun before. */
  readonly attempts: number
}

/** Where a run stands, for whoever is at it. */
export interface RunStanding {
  readonly status: EvalStatus
  readonly spent_micro_usd: number
  readonly held_micro_usd: number
  readonly next: NextCase | null
}

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
 * The runs that are not wound up, each worked on by one worker: whose death frees it. What is held of the app's budget is what the present case may cost,
 * and stands on the run, so that whoever takes over knows what to give back.
 */
export class EvalQueue extends Context.Service<EvalQueue, {
  /** The oldest run that waits, or whose worker is gone; one that was cancelled too, for it has to be wound up. */
  readonly claim: (owner: string) => Effect.Effect<HeldRun | undefined, DatabaseError>
  /** Undefined: the run is another's meanwhile, or gone. */
  readonly standing: (run: HeldRun) => Effect.Effect<RunStanding | undefined, DatabaseError>
  /** What a case has cost whose worker died at it: of what was held for it. */
  readonly charge: (run: HeldRun, microUsd: number) => Effect.Effect<void, DatabaseError>
  /** Holds as much as the case may cost, and begins it. False: the app's budget does not cover it. */
  readonly begin: (run: HeldRun, next: NextCase, worstMicroUsd: number) => Effect.Effect<boolean, DatabaseError>
  /** What became of it, once. */
  readonly done: (run: HeldRun, next: NextCase, done: Done) => Effect.Effect<void, DatabaseError>
  /** Gives back what is held, and says how the run has ended; one that was cancelled stays cancelled. */
  readonly finish: (run: HeldRun, ending: Ending) => Effect.Effect<void, DatabaseError>
  /** Leaves the run to another. */
  readonly leave: (run: HeldRun) => Effect.Effect<void, DatabaseError>
}>()("src/db/evals/EvalQueue") {
  static readonly layer = Layer.effect(EvalQueue, Effect.gen(function*() {
    const { query, transaction } = yield* Database
    const expenses = yield* Expenses

    /** The run, locked, as long as it is this worker's. */
    const lock = ({ app_id, run_id, owner }: HeldRun) => query<Array<Pick<StoredRun, "status" | "spent_micro_usd" | "held_micro_usd">>>((sql) => sql`
      select status, spent_micro_usd, held_micro_usd from eval_runs where app_id = ${app_id} and run_id = ${run_id} and owner = ${owner} and finished_at is null for update`).pipe(Effect.map((rows) => rows[0]))
    const payer = ({ app_id }: HeldRun) => ({ appId: app_id, sessionId: null })
    const charge = Effect.fnUntraced(function*(run: HeldRun, microUsd: number) {
      if (microUsd === 0) return
      const held = yield* lock(run)
      if (held === undefined) return
      // More than it may cost by plan is possible, and is paid.
      const over = microUsd - held.held_micro_usd
      if (over > 0) yield* expenses.add({ ...payer(run), activity: "eval", microUsd: over, runRef: run.run_id })
      yield* query((sql) => sql`
        update eval_runs set spent_micro_usd = spent_micro_usd + ${microUsd}::bigint, held_micro_usd = greatest(0, held_micro_usd - ${microUsd}::bigint) where app_id = ${run.app_id} and run_id = ${run.run_id}`)
    }, transaction)

    return EvalQueue.of({
      claim: (owner) => query<Array<HeldRun>>((sql) => sql`
        update eval_runs r set owner = ${owner}, status = case when r.status = 'queued' then 'running' else r.status end, started_at = coalesce(r.started_at, now())
        from (
          select app_id, run_id from eval_runs q where finished_at is null and (owner is null or not exists (select from workers w where w.worker_id = q.owner))
          order by created_at limit 1 for update skip locked
        ) free
        where r.app_id = free.app_id and r.run_id = free.run_id and exists (select from workers w where w.worker_id = ${owner}) returning r.*`).pipe(Effect.map((rows) => rows[0])),
      standing: ({ app_id, run_id, owner }) => query<Array<RunStanding>>((sql) => sql`
        select r.status, r.spent_micro_usd, r.held_micro_usd, (
          select json_build_object('place', x.place, 'case_key', x.case_key, 'repeat', x.repeat, 'attempts', x.attempts)
          from eval_results x where x.app_id = r.app_id and x.run_id = r.run_id and x.status is null order by x.place limit 1
        ) as next
        from eval_runs r where r.app_id = ${app_id} and r.run_id = ${run_id} and r.owner = ${owner} and r.finished_at is null`).pipe(Effect.map((rows) => rows[0])),
      charge,
      begin: Effect.fnUntraced(function*(run, { place }, worstMicroUsd) {
        const held = yield* lock(run)
        const more = worstMicroUsd - (held?.held_micro_usd ?? 0)
        if (more > 0) {
          if ((yield* expenses.take(payer(run), "eval", more, run.run_id)) === null) return false
          yield* query((sql) => sql`update eval_runs set held_micro_usd = held_micro_usd + ${more}::bigint where app_id = ${run.app_id} and run_id = ${run.run_id}`)
        }
        yield* query((sql) => sql`update eval_results set attempts = attempts + 1 where app_id = ${run.app_id} and run_id = ${run.run_id} and place = ${place}::int`)
        return true
      }, transaction),
      done: Effect.fnUntraced(function*(run, { place }, { status, checks, trajectory, costMicroUsd }) {
        if ((yield* lock(run)) === undefined) return
        yield* charge(run, costMicroUsd)
        yield* query((sql) => sql`
          update eval_results set status = ${status}, checks = ${JSON.stringify(checks)}::text::json, trajectory = ${trajectory === null ? null : JSON.stringify(trajectory)}::text::json,
            cost_micro_usd = ${costMicroUsd}::bigint, finished_at = now()
          where app_id = ${run.app_id} and run_id = ${run.run_id} and place = ${place}::int and status is null`)
      }, transaction),
      finish: Effect.fnUntraced(function*(run, { status, metrics, gateResults, verdict, errorCode }) {
        const held = yield* lock(run)
        if (held === undefined) return
        if (held.held_micro_usd > 0) yield* expenses.giveBack({ ...payer(run), activity: "eval", microUsd: held.held_micro_usd, runRef: run.run_id })
        yield* query((sql) => sql`
          update eval_runs set status = case when status = 'cancelled' then status else ${status} end, held_micro_usd = 0, owner = null, finished_at = now(), error_code = ${errorCode}, verdict = ${verdict},
            metrics = ${metrics === null ? null : JSON.stringify(metrics)}::text::json, gate_results = ${JSON.stringify(gateResults)}::text::json
          where app_id = ${run.app_id} and run_id = ${run.run_id}`)
      }, transaction),
      leave: ({ app_id, run_id, owner }) => Effect.asVoid(query((sql) => sql`update eval_runs set owner = null where app_id = ${app_id} and run_id = ${run_id} and owner = ${owner}`))
    })
  }))
}
