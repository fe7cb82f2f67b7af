import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StageName, StageRecord, Usage } from "./domain/Turn.ts"
import { ModelError } from "./ModelError.ts"
import { inSpan } from "./telemetry/trace.ts"

/** What a finished stage adds to its record. */
export interface StageSummary {
  readonly status?: StageRecord["status"]
  readonly decision?: string
  readonly usage?: Usage | null
  readonly errorCode?: string | null
  readonly detail?: StageRecord["detail"]
}

/** Persists the records of an attempt. A later call with more records replaces what the earlier call wrote. */
export type BookRecords = (records: ReadonlyArray<StageRecord>) => Effect.Effect<void>

/**
 * The records of one attempt at a turn. They are kept as stages end, so they survive however the turn ends. A cost is
 * persisted before the next paid call, and the end of the attempt persists all of it. So a worker that dies loses at
 * most the last call, and a turn with a single call needs no write before its settlement.
 *
 * Only this class makes a record, so every stage passes through here.
 */
export class TurnTrace {
  readonly records: Array<StageRecord> = []
  readonly #clock: Clock.Clock
  readonly #book: BookRecords
  readonly #yieldBudget: Effect.Effect<void>
  #cutOffBy: "interrupted" | "timed_out" = "interrupted"

  /** `yieldBudget` runs before each stage. */
  constructor(clock: Clock.Clock, book: BookRecords, yieldBudget: Effect.Effect<void> = Effect.void) {
    this.#clock = clock
    this.#book = book
    this.#yieldBudget = yieldBudget
  }

  /** After this call, a stage that is cut off is recorded as `timed_out` and not as `interrupted`. */
  expire(): void {
    this.#cutOffBy = "timed_out"
  }

  /** Runs a stage and records the result. */
  stage<A, E, R>(
    stage: StageName,
    work: Effect.Effect<A, E, R>,
    summarize: (value: A) => StageSummary = () => ({})
  ): Effect.Effect<A, E, R> {
    return this.#run(stage, () => work, summarize)
  }

  /**
   * Runs a stage that pays for model calls. The work calls `onSpent` with its total cost so far after every call except
   * the last, and when it is cut off.
   */
  paidStage<A, E, R>(
    stage: StageName,
    work: (onSpent: (usage: Usage) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
    summarize: (value: A) => StageSummary
  ): Effect.Effect<A, E, R> {
    const earlier = Effect.suspend(() =>
      this.records.some(({ usage }) => usage !== null) ? this.#book(this.records) : Effect.void
    )
    return Effect.andThen(earlier, this.#run(stage, work, summarize))
  }

  /** Records that a stage was not needed. */
  skip(stage: StageName, decision: string): void {
    this.records.push(
      this.#record(
        stage,
        this.#clock.currentTimeMillisUnsafe(),
        Exit.void,
        () => ({ status: "skipped", decision }),
        null
      )
    )
  }

  #run<A, E, R>(
    stage: StageName,
    work: (onSpent: (usage: Usage) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
    summarize: (value: A) => StageSummary
  ): Effect.Effect<A, E, R> {
    return Effect.andThen(
      this.#yieldBudget,
      Effect.suspend(() => {
        const startedAt = this.#clock.currentTimeMillisUnsafe()
        let spent: Usage | null = null
        // If the process dies before the next record, this one says that the stage was cut off here.
        const onSpent = (usage: Usage) =>
          Effect.suspend(() => {
            spent = usage
            return this.#book([...this.records, this.#record(stage, startedAt, Exit.interrupt(), summarize, spent)])
          })
        return Effect.onExit(inSpan(stage)(work(onSpent)), (exit) =>
          Effect.sync(() => {
            this.records.push(this.#record(stage, startedAt, exit, summarize, spent))
          })
        )
      })
    )
  }

  #record<A>(
    stage: StageName,
    startedAt: number,
    exit: Exit.Exit<A, unknown>,
    summarize: (value: A) => StageSummary,
    spent: Usage | null
  ): StageRecord {
    const {
      status = "ok",
      decision = null,
      usage = null,
      errorCode = null,
      detail = null
    } = Exit.isSuccess(exit) ? summarize(exit.value) : {}
    return {
      stage,
      attempt: 1 + this.records.filter((record) => record.stage === stage).length,
      startedAt: new Date(startedAt),
      latencyMs: this.#clock.currentTimeMillisUnsafe() - startedAt,
      ...(Exit.isSuccess(exit)
        ? { status, decision, errorCode, detail, usage }
        : { status: "error", decision: null, ...this.#failure(exit.cause, spent) })
    }
  }

  #failure(cause: Cause.Cause<unknown>, spent: Usage | null): Pick<StageRecord, "errorCode" | "usage" | "detail"> {
    if (Cause.hasInterruptsOnly(cause)) return { errorCode: this.#cutOffBy, usage: spent, detail: null }
    const error = Cause.squash(cause)
    return error instanceof ModelError
      ? { errorCode: error.code, usage: error.usage, detail: error.detail }
      : { errorCode: "defect", usage: spent, detail: null }
  }
}

/** Runs a stage that has a trace of its own, and returns its record too. */
export const runStage = Effect.fnUntraced(function* <A, E, R>(
  stage: StageName,
  work: Effect.Effect<A, E, R>,
  summarize: (value: A) => StageSummary
) {
  const trace = new TurnTrace(yield* Clock.Clock, () => Effect.void)
  const value = yield* trace.stage(stage, work, summarize)
  const [record] = trace.records
  return record === undefined ? yield* Effect.die(new Error("the stage left no record")) : ([value, record] as const)
})
