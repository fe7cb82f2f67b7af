import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

/**
 * Handles of metrics. Make each once, when its module is loaded: an update then allocates nothing. A label has a small
 * fixed set of values. Ids of apps, bots and sessions are never labels.
 */

/** Metrics belong to the process, so every handle uses the same registry. */
const PROCESS = Context.empty()

/** Series of one metric. Further combinations of labels count as `other`, so a mistake cannot exhaust the memory. */
const MAX_SERIES = 200

type Labels = Readonly<Record<string, string>>

/** Adds up events or amounts. */
export interface Counter {
  readonly add: (amount?: number) => void
}

/** Counts values by size. */
export interface Histogram {
  readonly record: (value: number) => void
}

/** From half a millisecond to 10 seconds. */
export const QUICK_SECONDS: ReadonlyArray<number> = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
]
/** From 50 milliseconds to 5 minutes. */
export const LONG_SECONDS: ReadonlyArray<number> = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300]

/** Seconds on a clock that never goes back, to measure how long something took. */
export const clockSeconds = (): number => performance.now() / 1000

/** A counter. It is exported from the start, with the value 0. */
export const counter = (name: `troupe_${string}_total`, description: string, attributes: Labels = {}): Counter => {
  const metric = Metric.counter(name, { description, attributes, incremental: true })
  metric.updateUnsafe(0, PROCESS)
  return { add: (amount = 1) => metric.updateUnsafe(amount, PROCESS) }
}

/** A histogram with these upper bounds. */
export const histogram = (
  name: `troupe_${string}`,
  description: string,
  boundaries: ReadonlyArray<number>,
  attributes: Labels = {}
): Histogram => {
  const metric = Metric.histogram(name, { description, attributes, boundaries })
  metric.valueUnsafe(PROCESS)
  return { record: (value) => metric.updateUnsafe(value, PROCESS) }
}

/** One handle for each combination of label values, made when it is first used. */
const family = <A>(labels: ReadonlyArray<string>, make: (attributes: Labels) => A) => {
  const handles = new Map<string, Map<string, A>>()
  let series = 0
  const handleOf = (first: string, second: string): A => {
    const known = handles.get(first)?.get(second)
    if (known !== undefined) return known
    if (series >= MAX_SERIES && first !== "other") return handleOf("other", labels.length > 1 ? "other" : "")
    series++
    const [one = "", two] = labels
    const made = make(two === undefined ? { [one]: first } : { [one]: first, [two]: second })
    handles.set(first, (handles.get(first) ?? new Map<string, A>()).set(second, made))
    return made
  }
  return handleOf
}

/** Counters by one label. Those of the `known` values are exported from the start. */
export const countersBy = (
  name: `troupe_${string}_total`,
  description: string,
  label: string,
  known: ReadonlyArray<string> = []
): ((value: string) => Counter) => {
  const handleOf = family([label], (attributes) => counter(name, description, attributes))
  for (const value of known) handleOf(value, "")
  return (value) => handleOf(value, "")
}

/** Counters by two labels. */
export const countersByTwo = (
  name: `troupe_${string}_total`,
  description: string,
  labels: readonly [string, string]
): ((first: string, second: string) => Counter) =>
  family(labels, (attributes) => counter(name, description, attributes))

/** Histograms by one label. */
export const histogramsBy = (
  name: `troupe_${string}`,
  description: string,
  boundaries: ReadonlyArray<number>,
  label: string
): ((value: string) => Histogram) => {
  const handleOf = family([label], (attributes) => histogram(name, description, boundaries, attributes))
  return (value) => handleOf(value, "")
}

/** A gauge that is read when the metrics are exported, until the scope ends. */
export const observedGauge = (
  name: `troupe_${string}` | `process_${string}`,
  description: string,
  read: () => number,
  attributes: Labels = {}
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() =>
        Metric.registerUnsafe(Metric.gauge(name, { description, attributes }), PROCESS, {
          get: () => ({ value: read() }),
          update: () => {},
          modify: () => {}
        })
      ),
      (registration) => Effect.sync(() => registration.remove())
    )
  )
