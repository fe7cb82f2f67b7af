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

/** Whether the model cannot be used, and not only in this form or for this text. */
const isOutage = ({ code, format }: Failure): boolean =>
  format !== true && (code.startsWith("http_") || OUTAGES.has(code))
const OUTAGES: ReadonlySet<string> = new Set(["connection", "cut_off", "timeout", "quota_exhausted", "bad_response"])

interface Failure {
  readonly code: string
  /** Whether the server may only have rejected the form of the answer that was asked for. */
  readonly format?: boolean
}

/** Measures one call, and notes whether the model works. A failed call counts by its code. */
export const measureCall =
  (purpose: string, model: string) =>
  <A, E extends Failure, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const startedAt = clockSeconds()
      const record = (result: string) =>
        Effect.sync(() => {
          calls(purpose, result).add()
          callSeconds(purpose).record(clockSeconds() - startedAt)
        })
      return Effect.onExit(call, (exit) => {
        if (Exit.isSuccess(exit)) return Effect.andThen(record("ok"), modelDependency.worked({ model }))
        const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
        if (failure === undefined) return record("cancelled")
        const counted = record(resultOf(failure.code))
        return isOutage(failure) ? Effect.andThen(counted, modelDependency.failed(failure.code, { model })) : counted
      })
    })
