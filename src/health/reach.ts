import { MAX_REACH } from "./limits.ts"
import type { Problem } from "./Problem.ts"

/** How many conversations several problems reach together. One that two of them reach counts twice. */
export const reachOf = (problems: ReadonlyArray<Pick<Problem, "reach">>): Problem["reach"] =>
  problems.reduce<number | null>((sum, { reach }) => (sum === null || reach === null ? null : sum + reach), 0)

const number = new Intl.NumberFormat("en")

/** The same in words. Null: it reaches nobody. */
export const reachWords = (reach: Problem["reach"]): string | null =>
  reach === null
    ? "reaches everybody"
    : reach === 0
      ? null
      : `reaches ${reach >= MAX_REACH ? "at least " : ""}${number.format(reach)} conversation${reach === 1 ? "" : "s"}`
