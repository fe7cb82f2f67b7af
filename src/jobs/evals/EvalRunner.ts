import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { addressed } from "#pipeline/domain/addressed.ts"
import { gateResults, measure, metricsOf, verdictOf } from "#pipeline/evals/metrics.ts"
import type { Case } from "#pipeline/evals/Suite.ts"
import type { Trajectory } from "#pipeline/evals/Trajectory.ts"
import { Inbox } from "#pipeline/Inbox.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import { type Done, EvalQueue, type LeasedRun, type NextCase } from "#src/db/evals/EvalQueue.ts"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { EvalRuns, type EvalStatus, worstOf } from "#src/db/evals/EvalRuns.ts"
import { toCaseResults } from "#src/db/evals/toCaseResults.ts"
import { ShadowSessions } from "#src/db/evals/ShadowSessions.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { attempt, CRASH_LIMIT } from "#src/units/attempt.ts"
import { unitOf } from "#src/units/Unit.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { makeSharedRuns } from "#src/jobs/runner/sharedRuns.ts"
import { MemoryExtractionWorker } from "#src/jobs/memory/MemoryExtractor.ts"
import { TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"
import { EvalEngines } from "./EvalEngines.ts"
import { gradeCase, ungraded } from "./gradeCase.ts"
import { playCase } from "./playCase.ts"
import { task } from "#src/jobs/runner/task.ts"
import { wasStopped } from "#src/jobs/runner/wasStopped.ts"

/** Maximum number of concurrent runs per app and process. */
const RUNS_AT_ONCE = 4
/**
 * Cases of a run that are played concurrently, since each waits for a model. The number is small because after a crash
 * this many are played and paid for again.
 */
const CASES_AT_ONCE = 4
const sameMessages = (asked: Case, { turns }: Trajectory): boolean =>
  turns.every(({ user }, index) => asked.turns[index]?.user === user)
const nameOf = (key: string, repeat: number): string => JSON.stringify([key, repeat])

/** Works on eval runs case by case. Each case is stored when it is done. */
export class EvalRunner extends Context.Service<
  EvalRunner,
  {
    /** Works until all runs are finished or claimed. Does nothing if the maximum number is already being worked on. */
    readonly work: Effect.Effect<void, DatabaseError>
  }
>()("src/jobs/evals/EvalRunner") {
  static readonly layer = Layer.effect(
    EvalRunner,
    Effect.gen(function* () {
      const { transaction } = yield* Database
      const queue = yield* EvalQueue
      const runs = yield* EvalRuns
      const shadows = yield* ShadowSessions
      const characters = yield* CharacterVersions
      const engines = yield* EvalEngines
      const membership = yield* Membership
      const services = yield* Effect.context<
        Inbox | TurnRunner | MemoryExtractionWorker | Relationships | ShadowSessions
      >()
      const share = yield* makeSharedRuns(RUNS_AT_ONCE)

      /** By case and repeat. Empty without a run. */
      const trajectoriesOf = Effect.fnUntraced(function* (appId: string, runId: string | null) {
        const results = runId === null ? [] : yield* runs.allResults(appId, runId)
        return new Map(
          results.flatMap(({ case_key, repeat, trajectory }) =>
            trajectory === null ? [] : [[nameOf(case_key, repeat), trajectory] as const]
          )
        )
      })

      const spentAt = (run: LeasedRun, index: number | null) =>
        runs.pricing.isFree(run.engine) ? Effect.succeed(0) : shadows.spent({ runId: run.run_id, place: index })

      /**
       * Removes what is left of unfinished cases, after charging their cost. False: another process owns the run and
       * its cases.
       */
      const clear = (run: LeasedRun, remove: Effect.Effect<void, DatabaseError>) =>
        transaction(
          Effect.gen(function* () {
            if (!(yield* queue.charge(run, yield* spentAt(run, null)))) return false
            yield* remove
            return true
          })
        )

      const sumUp = Effect.fnUntraced(function* (run: LeasedRun, status: EvalStatus, errorCode: string | null) {
        if (!(yield* clear(run, shadows.closeApp(run.run_id)))) return
        const character = yield* characters.get(run.app_id, run.character_slug, run.character_version)
        const results = toCaseResults(run.cases, yield* runs.allResults(run.app_id, run.run_id))
        // For a large run this takes seconds. Yields in between, so that other requests are answered and the worker
        // does not count as dead.
        const measured = yield* Effect.forEach(results, (result) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => measure(character, result))
          )
        )
        const metrics = metricsOf(results, measured, run.seed)
        const gates = gateResults(run.gates, metrics)
        const verdict = verdictOf(gates)
        // Unfinished cases have not passed.
        yield* queue.finish(run, {
          status,
          metrics,
          gateResults: gates,
          verdict: verdict === "pass" && status !== "completed" ? "fail" : verdict,
          errorCode
        })
      })

      const end = (run: LeasedRun, status: EvalStatus, errorCode: string | null = null) =>
        attempt(
          unitOf("eval", run.app_id, run.run_id),
          sumUp(run, status, errorCode),
          queue.finish(run, { status: "failed", metrics: null, gateResults: [], verdict: null, errorCode: "given_up" })
        )

      /** Plays and grades a case. Null: the run has ended in the meantime. */
      const one = Effect.fnUntraced(function* (
        run: LeasedRun,
        next: NextCase,
        stored: ReadonlyMap<string, Trajectory>,
        baseline: ReadonlyMap<string, Trajectory>
      ): Effect.fn.Return<Done | null, DatabaseError> {
        const asked = run.cases.find(({ key }) => key === next.case_key)
        if (asked === undefined) return ungraded("the suite has no such case")
        if (next.attempts >= CRASH_LIMIT) return ungraded(`begun ${next.attempts} times and never ended`)
        const { app_id: appId, run_id: runId, character_slug: slug, character_version: version } = run
        const character = addressed(
          yield* characters.get(appId, slug, version),
          asked.setup.end_user.display_name ?? null
        )
        const engine = yield* engines.of(run.engine)
        const free = runs.pricing.isFree(run.engine)
        const name = nameOf(next.case_key, next.repeat)
        const earlier = stored.get(name)
        if (run.regrade_of !== null && (earlier === undefined || !sameMessages(asked, earlier)))
          return ungraded("the original run did not play this case, or played it with other messages")
        const trajectory =
          earlier ??
          (yield* playCase({
            cast: { appId, runId, slug, version },
            place: next.place,
            character,
            engine,
            replyMode: run.reply_mode,
            asked,
            seed: `${run.seed} ${asked.key} ${next.repeat}`,
            free,
            wanted: queue.isWanted(run)
          }).pipe(Effect.provideContext(services)))
        if (trajectory === null) return null
        // An earlier play was already paid for.
        const cost = earlier === undefined ? trajectory.turns.reduce((sum, turn) => sum + turn.cost_micro_usd, 0) : 0
        return yield* gradeCase(engine.judge, { character, asked, trajectory }, baseline.get(name) ?? null, cost)
      })

      const playOne = Effect.fnUntraced(function* (
        run: LeasedRun,
        next: NextCase,
        stored: ReadonlyMap<string, Trajectory>,
        baseline: ReadonlyMap<string, Trajectory>
      ) {
        const asked = run.cases.find(({ key }) => key === next.case_key)
        const limit = asked === undefined ? null : new Spending(worstOf(runs.pricing, run, asked))
        const played = yield* Effect.exit(
          attempt(
            unitOf("eval", run.app_id, `${run.run_id} ${next.place}`),
            Effect.provideService(one(run, next, stored, baseline), SpendingLimit, limit),
            Effect.map(spentAt(run, next.place), (spent) => ungraded("it stopped its process too often", spent))
          )
        )
        if (
          Exit.isFailure(played) &&
          (Cause.hasInterrupts(played.cause) || Cause.squash(played.cause) instanceof DatabaseError)
        )
          return yield* Effect.failCause(played.cause)
        if (Exit.isFailure(played)) yield* Effect.logError("eval case failed to run", played.cause)
        const done = Exit.isSuccess(played)
          ? played.value
          : ungraded("it could not be played", yield* spentAt(run, next.place))
        if (done === null) return
        // Erasing the sessions keeps their cost from being charged again. If another process owns the run now, the
        // sessions are its own as well.
        yield* transaction(
          Effect.gen(function* () {
            if (yield* queue.done(run, next, done)) yield* shadows.erase({ runId: run.run_id, place: next.place })
          })
        )
      })

      const play = Effect.fnUntraced(function* (run: LeasedRun) {
        if (run.regrade_of === null && run.status === "running")
          yield* shadows.openApp({
            appId: run.app_id,
            runId: run.run_id,
            slug: run.character_slug,
            version: run.character_version
          })
        // The previous owner may have died with cases unfinished.
        if (!(yield* clear(run, shadows.erase({ runId: run.run_id, place: null })))) return
        const stored = yield* trajectoriesOf(run.app_id, run.regrade_of)
        const baseline = yield* trajectoriesOf(run.app_id, run.baseline_run_id)
        const byKey = new Map(run.cases.map((asked) => [asked.key, asked]))
        const worst = (key: string) => {
          const asked = byKey.get(key)
          return asked === undefined ? 0 : worstOf(runs.pricing, run, asked)
        }
        const playing = new Map<number, number>()
        const beginning = yield* Semaphore.make(1)
        const begin = queue.begin(run, playing, worst).pipe(
          Effect.tap((step) =>
            Effect.sync(() => {
              if (step.kind === "play") playing.set(step.next.place, step.worstMicroUsd)
            })
          ),
          beginning.withPermits(1)
        )
        /** One case after another, in parallel with other lanes. The last lane to finish knows how the run ended. */
        const lane = Effect.gen(function* () {
          while (true) {
            const step = yield* begin
            if (step.kind !== "play") return step
            yield* playOne(run, step.next, stored, baseline)
            playing.delete(step.next.place)
          }
        })
        const steps = yield* Effect.all(
          Array.from({ length: runs.pricing.isFree(run.engine) ? 1 : CASES_AT_ONCE }, () => lane),
          { concurrency: "unbounded" }
        )
        const ending = steps.some(({ kind }) => kind === "lost") ? undefined : steps.find((step) => step.kind === "end")
        if (ending !== undefined) yield* end(run, ending.status)
      })

      const guarded = (run: LeasedRun) =>
        play(run).pipe(
          Effect.catchDefect((defect) =>
            Effect.logError("eval run failed", defect).pipe(Effect.andThen(end(run, "failed", "internal_error")))
          ),
          Effect.onError((cause) =>
            queue.release(run, wasStopped(cause)).pipe(Effect.timeout("2 seconds"), Effect.ignore)
          ),
          Effect.annotateLogs({ run_id: run.run_id })
        )

      const claim = (except: ReadonlyArray<string>) =>
        Effect.flatMap(membership.current, (owner) =>
          Option.isNone(owner) ? Effect.undefined : queue.claim(owner.value, except)
        ).pipe(Effect.map((run) => (run === undefined ? undefined : { appId: run.app_id, run })))
      return EvalRunner.of({ work: share(claim, ({ run }) => guarded(run)) })
    })
  )
}

export const evalsTask = task(
  "evals",
  EvalRunner.use((runner) => runner.work),
  { cron: "* * * * *" }
)
