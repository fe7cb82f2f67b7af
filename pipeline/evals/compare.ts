import { type Rubric, RUBRICS } from "./Check.ts"
import { byCase, type CaseResult, meanWithInterval, passed, passValue, rubricValue } from "./metrics.ts"
import { type Interval, mcnemarExact, type Weighted } from "./statistics.ts"

export interface Flip {
  readonly case_key: string
  /** Shares of the repeats that passed. Null if none could be judged, or if the case is missing. */
  readonly baseline: number | null
  readonly run: number | null
  readonly flip: "fixed" | "broken" | "same" | "only_in_run" | "only_in_baseline"
}

export interface Difference {
  /** Run minus baseline, over the cases that both have. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Whether the whole interval is below 0. */
  readonly regression: boolean
}

export interface Comparison {
  readonly cases: ReadonlyArray<Flip>
  /**
   * Over the case repeats that both runs have: how many changed in each direction, and how likely that is by chance.
   */
  readonly pairs: number
  readonly fixed: number
  readonly broken: number
  readonly mcnemar_p: number
  readonly pass_rate: Difference
  readonly rubrics: Readonly<Partial<Record<Rubric, Difference>>>
  /** A regression of the pass rate or of any rubric. */
  readonly regression: boolean
}

const differenceOf = (
  run: ReadonlyMap<string, Weighted>,
  baseline: ReadonlyMap<string, Weighted>,
  seed: number
): Difference => {
  const pairs = [...run].flatMap(([key, { value, weight }]) => {
    const before = baseline.get(key)
    return before === undefined ? [] : [{ value: value - before.value, weight }]
  })
  const { mean, interval } = meanWithInterval(pairs, seed)
  return { difference: mean, interval, regression: interval !== null && interval.high < 0 }
}

const flipOf = (key: string, run: Weighted | undefined, baseline: Weighted | undefined): Flip => ({
  case_key: key,
  baseline: baseline?.value ?? null,
  run: run?.value ?? null,
  flip:
    baseline === undefined
      ? "only_in_run"
      : run === undefined
        ? "only_in_baseline"
        : run.value > baseline.value
          ? "fixed"
          : run.value < baseline.value
            ? "broken"
            : "same"
})

/** Compares a run with another run of the same cases, case by case. */
export const compare = (
  run: ReadonlyArray<CaseResult>,
  baseline: ReadonlyArray<CaseResult>,
  seed: number
): Comparison => {
  const [now, before] = [byCase(run, passValue), byCase(baseline, passValue)]
  const keys = [...new Set([...run, ...baseline].map(({ asked }) => asked.key))]
  const nameOf = ({ asked, repeat }: CaseResult) => JSON.stringify([asked.key, repeat])
  const verdicts = new Map(baseline.map((result) => [nameOf(result), passed(result)]))
  const pairs = run.flatMap((result) => {
    const [after, earlier] = [passed(result), verdicts.get(nameOf(result)) ?? null]
    return after === null || earlier === null ? [] : [{ after, earlier }]
  })
  const fixed = pairs.filter(({ after, earlier }) => after && !earlier).length
  const broken = pairs.filter(({ after, earlier }) => !after && earlier).length
  const passRate = differenceOf(now, before, seed)
  const rubrics = RUBRICS.flatMap((rubric) => {
    const difference = differenceOf(byCase(run, rubricValue(rubric)), byCase(baseline, rubricValue(rubric)), seed)
    return difference.difference === null ? [] : [[rubric, difference] as const]
  })
  return {
    cases: keys.map((key) => flipOf(key, now.get(key), before.get(key))),
    pairs: pairs.length,
    fixed,
    broken,
    mcnemar_p: mcnemarExact(fixed, broken),
    pass_rate: passRate,
    rubrics: Object.fromEntries(rubrics),
    regression: passRate.regression || rubrics.some(([, { regression }]) => regression)
  }
}
