import type { Character } from "../domain/Character.ts"
import type { GateName } from "../emission/gates.ts"
import { type CheckResult, type CheckStatus, type Rubric, RUBRICS } from "./Check.ts"
import { gatesBroken } from "./Played.ts"
import { type Interval, intervalOfMean, meanOf, percentile, type Weighted, weightedMean } from "./statistics.ts"
import type { Case, Gate } from "./Suite.ts"
import type { Trajectory } from "./Trajectory.ts"

/** One finished repeat of a case. */
export interface CaseResult {
  readonly asked: Case
  readonly repeat: number
  readonly status: CheckStatus
  readonly checks: ReadonlyArray<CheckResult>
  /** Null if it could not be played. */
  readonly trajectory: Trajectory | null
  readonly costMicroUsd: number
}

export interface Mean {
  readonly mean: number | null
  /** 95 %, by the bootstrap over cases. Null for fewer than two cases. */
  readonly interval: Interval | null
  /** The number of results. */
  readonly n: number
}

export interface Metrics {
  readonly counts: Readonly<Record<CheckStatus, number>>
  readonly pass_rate: Mean
  readonly rubrics: Readonly<Partial<Record<Rubric, Mean>>>
  /** Shares of the turns with a reply. */
  readonly repetition_rate: number | null
  readonly break_rate: number | null
  readonly false_memory_rate: number | null
  /** Share of all turns. */
  readonly refusal_rate: number | null
  readonly recall_at_k: number | null
  readonly latency_p50_ms: number | null
  readonly latency_p95_ms: number | null
  readonly cost_usd: number
}

/** Fine enough that a single case still counts at the maximum number of cases and the minimum weight. */
const PLACES = 1_000_000_000
const rounded = (value: number): number => Math.round(value * PLACES) / PLACES
const roundedOrNull = (value: number | null): number | null => (value === null ? null : rounded(value))

/** Whether a result passed. Null, counted neither way, if it could not be judged. */
export const passed = ({ status }: Pick<CaseResult, "status">): boolean | null =>
  status === "skipped" ? null : status === "pass"

/** Repeats of a case are correlated, so intervals are over cases: each case counts with the mean of its repeats. */
export const byCase = (
  results: ReadonlyArray<CaseResult>,
  valueOf: (result: CaseResult) => number | null
): ReadonlyMap<string, Weighted> =>
  new Map(
    [...Map.groupBy(results, ({ asked }) => asked.key)].flatMap(([key, repeats]) => {
      const value = meanOf(repeats.flatMap((result) => valueOf(result) ?? []))
      return value === null ? [] : [[key, { value, weight: repeats[0]?.asked.weight ?? 1 }] as const]
    })
  )

export const meanWithInterval = (
  values: ReadonlyArray<Weighted>,
  seed: number
): { readonly mean: number | null; readonly interval: Interval | null } => {
  const interval = intervalOfMean(values, seed)
  return {
    mean: roundedOrNull(weightedMean(values)),
    interval: interval === null ? null : { low: rounded(interval.low), high: rounded(interval.high) }
  }
}

const meanBy = (
  results: ReadonlyArray<CaseResult>,
  valueOf: (result: CaseResult) => number | null,
  seed: number
): Mean => ({
  ...meanWithInterval([...byCase(results, valueOf).values()], seed),
  n: results.filter((result) => valueOf(result) !== null).length
})

export const passValue = (result: CaseResult): number | null => {
  const verdict = passed(result)
  return verdict === null ? null : Number(verdict)
}
/** The average score that a rubric's judges gave a result. */
export const rubricValue =
  (rubric: Rubric) =>
  ({ checks }: CaseResult): number | null =>
    meanOf(checks.flatMap((check) => (check.rubric === rubric && check.score !== undefined ? [check.score] : [])))

/** Counts over a result's turns. */
export interface Measured {
  readonly turns: number
  readonly refused: number
  /** Turns with a reply, and those of them that repeat, fall out of character, or claim a false memory. */
  readonly spoken: number
  readonly repeated: number
  readonly broken: number
  readonly unsupported: number
}

const BREAKS: ReadonlyArray<GateName> = ["assistant_tell", "role_bleed", "denies_ai"]

/**
 * Checks the replies against the gates again. This takes a dozen milliseconds for a long case, so process many cases
 * one at a time.
 */
export const measure = (character: Character, { asked, trajectory }: CaseResult): Measured => {
  const turns = trajectory?.turns ?? []
  const broken = turns.flatMap(({ bubbles }, place) =>
    trajectory === null || bubbles.length === 0
      ? []
      : [gatesBroken({ character, asked, trajectory }, place, ["repetition", "unsupported_memory", ...BREAKS])]
  )
  const count = (...names: ReadonlyArray<GateName>) =>
    broken.filter((gates) => gates.some((gate) => names.includes(gate))).length
  return {
    turns: turns.length,
    refused: turns.filter(({ safety }) => safety === "refuse_in_voice").length,
    spoken: broken.length,
    repeated: count("repetition"),
    broken: count(...BREAKS),
    unsupported: count("unsupported_memory")
  }
}

/**
 * The metrics of a run, from its results and what was measured of each. The same results and seed give the same
 * numbers.
 */
export const metricsOf = (
  results: ReadonlyArray<CaseResult>,
  measured: ReadonlyArray<Measured>,
  seed: number
): Metrics => {
  const count = (status: CheckStatus) => results.filter((result) => result.status === status).length
  const total = (of: keyof Measured) => measured.reduce((sum, one) => sum + one[of], 0)
  const share = (of: keyof Measured, among: keyof Measured) =>
    total(among) === 0 ? null : rounded(total(of) / total(among))
  const latencies = results.flatMap(({ trajectory }) => trajectory?.turns.map(({ latency_ms }) => latency_ms) ?? [])
  const judged = RUBRICS.map((rubric) => [rubric, meanBy(results, rubricValue(rubric), seed)] as const)
  return {
    counts: { pass: count("pass"), fail: count("fail"), skipped: count("skipped"), error: count("error") },
    pass_rate: meanBy(results, passValue, seed),
    rubrics: Object.fromEntries(judged.filter(([, { n }]) => n > 0)),
    repetition_rate: share("repeated", "spoken"),
    break_rate: share("broken", "spoken"),
    false_memory_rate: share("unsupported", "spoken"),
    refusal_rate: share("refused", "turns"),
    recall_at_k: roundedOrNull(
      meanOf(
        results.flatMap(({ checks }) =>
          checks.flatMap(({ type, score }) => (type === "retrieval_recall_at_k" && score !== undefined ? [score] : []))
        )
      )
    ),
    latency_p50_ms: percentile(latencies, 0.5),
    latency_p95_ms: percentile(latencies, 0.95),
    cost_usd: rounded(results.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0) / 1_000_000)
  }
}

export interface GateResult extends Gate {
  readonly actual: number | null
  readonly status: "pass" | "fail" | "skipped"
}

const RUBRIC = "rubric."
const valueOf = (metrics: Metrics, metric: string): number | null => {
  if (metric.startsWith(RUBRIC)) return metrics.rubrics[metric.slice(RUBRIC.length) as Rubric]?.mean ?? null
  const value = metrics[metric as keyof Metrics]
  return typeof value === "number" ? value : metric === "pass_rate" ? metrics.pass_rate.mean : null
}
const HOLDS: Readonly<Record<Gate["op"], (actual: number, value: number) => boolean>> = {
  gte: (actual, value) => actual >= value,
  gt: (actual, value) => actual > value,
  lte: (actual, value) => actual <= value,
  lt: (actual, value) => actual < value
}
/** Both sides are rounded the same way, so that 1/3 matches however many digits were written. */
const holds = (op: Gate["op"], actual: number, value: number): boolean => HOLDS[op](rounded(actual), rounded(value))

/** Each gate with the value that it was compared with. A gate on a metric that was not measured is skipped. */
export const gateResults = (gates: ReadonlyArray<Gate>, metrics: Metrics): ReadonlyArray<GateResult> =>
  gates.map((gate) => {
    const actual = valueOf(metrics, gate.metric)
    return {
      ...gate,
      actual,
      status: actual === null ? "skipped" : holds(gate.op, actual, gate.value) ? "pass" : "fail"
    }
  })

/** Null without gates. A skipped gate counts as not passed. */
export const verdictOf = (gates: ReadonlyArray<GateResult>): "pass" | "fail" | null =>
  gates.length === 0 ? null : gates.every(({ status }) => status === "pass") ? "pass" : "fail"
