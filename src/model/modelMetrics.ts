import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import {
  clockSeconds,
  counter,
  countersBy,
  countersByTwo,
  histogramsBy,
  LONG_SECONDS
} from "#pipeline/telemetry/metric.ts"
import { modelDependency } from "#pipeline/telemetry/Dependency.ts"
import { MODEL_FAILURES, type ModelFailure } from "#pipeline/ModelFailure.ts"
import type { Tokens } from "./prices.ts"

const calls = countersByTwo("troupe_model_calls_total", "Calls to a model, by purpose and result", [
  "purpose",
  "result"
])
const callSeconds = histogramsBy(
  "troupe_model_call_seconds",
  "Time of one call to a model, by purpose",
  LONG_SECONDS,
  "purpose"
)
const tokens = countersBy("troupe_model_tokens_total", "Tokens that models have read and written", "kind", [
  "input",
  "cached_input",
  "output"
])
const cost = counter(
  "troupe_model_cost_usd_total",
  "Cost of calls to models in US dollars, by the prices of this process"
)

const [read, cached, written] = [tokens("input"), tokens("cached_input"), tokens("output")]

/** Counts what a call has used. */
export const countUsage = (spent: Tokens, costMicroUsd: number): void => {
  read.add(spent.inputTokens)
  cached.add(spent.cachedInputTokens)
  written.add(spent.outputTokens)
  cost.add(costMicroUsd / 1_000_000)
}

/** Statuses other than these count by class, so that a server cannot invent series. */
const KNOWN: ReadonlySet<string> = new Set(["http_401", "http_403", "http_404", "http_408", "http_429"])
const resultOf = (code: string): string => (KNOWN.has(code) ? code : code.replace(/^http_(\d)\d\d$/, "http_$1xx"))

interface Failure {
  readonly code: string
}

/** Measures one call. A failed call counts by its code. */
export const measureCall =
  (purpose: string) =>
  <A, E extends Failure, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const startedAt = clockSeconds()
      const record = (result: string) =>
        Effect.sync(() => {
          calls(purpose, result).add()
          callSeconds(purpose).record(clockSeconds() - startedAt)
        })
      return Effect.onExit(call, (exit) => {
        if (Exit.isSuccess(exit)) return record("ok")
        const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
        return record(failure === undefined ? "cancelled" : resultOf(failure.code))
      })
    })

interface NamedFailure extends Failure {
  readonly failure: ModelFailure
  readonly said: string | null
}

/** Logs when a model that is asked one call at a time begins to fail for everybody, and when it works again. */
export const reportCall =
  (model: string) =>
  <A, E extends Failure | NamedFailure, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onExit(call, (exit) => {
      if (Exit.isSuccess(exit)) return modelDependency.worked({ model })
      const error = Option.getOrUndefined(Exit.findErrorOption(exit))
      if (error === undefined || !("failure" in error) || !MODEL_FAILURES[error.failure].isOutage) return Effect.void
      const { code, failure, said } = error
      const { fix } = MODEL_FAILURES[failure]
      return modelDependency.failed(code, { model }, { reason: failure, fix, ...(said !== null && { said }) })
    })
