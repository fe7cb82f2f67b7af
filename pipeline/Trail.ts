import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StageName, StageRecord, Usage } from "./domain/Turn.ts"
import { WriterError } from "./generation/Writer.ts"

/** What a stage that came to an end says about itself. */
interface Remark {
  readonly status?: StageRecord["status"]
  readonly decision?: string
  readonly usage?: Usage
}

const failureOf = (cause: Cause.Cause<unknown>, spent: Usage | null): { readonly errorCode: string; readonly usage: Usage | null } => {
  // Whoever interrupts the turn from outside discards its records, so an interruption that is read later was the deadline.
  if (Cause.hasInterruptsOnly(cause)) return { errorCode: "timed_out", usage: spent }
  const error = Cause.squash(cause)
  return error instanceof WriterError ? { errorCode: error.code, usage: error.usage } : { errorCode: "defect", usage: spent }
}

/** The records of one turn. They are written as stages end, so that they outlive whatever ends the turn. */
export class Trail {
  readonly records: Array<StageRecord> = []
  readonly #clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /** Runs a stage and records how it went. `spent` is what it has cost when it does not come to its end. */
  stage<A, E, R>(stage: StageName, work: Effect.Effect<A, E, R>, remark: (value: A) => Remark = () => ({}), spent: () => Usage | null = () => null): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const startedAt = this.#clock.currentTimeMillisUnsafe()
      return Effect.onExit(work, (exit) => {
        this.#add(stage, startedAt, exit, remark, spent())
        return Effect.void
      })
    })
  }

  /** Records that a stage was not needed. */
  skip(stage: StageName, decision: string): void {
    this.#add(stage, this.#clock.currentTimeMillisUnsafe(), Exit.void, () => ({ status: "skipped", decision }), null)
  }

  #add<A>(stage: StageName, startedAt: number, exit: Exit.Exit<A, unknown>, remark: (value: A) => Remark, spent: Usage | null): void {
    const { status = "ok", decision = null, usage = null } = Exit.isSuccess(exit) ? remark(exit.value) : {}
    this.records.push({
      stage,
      attempt: 1 + this.records.filter((record) => record.stage === stage).length,
      startedAt: new Date(startedAt),
      latencyMs: this.#clock.currentTimeMillisUnsafe() - startedAt,
      ...Exit.isSuccess(exit)
        ? { status, decision, errorCode: null, usage }
        : { status: "error", decision: null, ...failureOf(exit.cause, spent) }
    })
  }
}
