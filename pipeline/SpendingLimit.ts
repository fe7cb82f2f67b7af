import * as Context from "effect/Context"

/**
 * What a unit of work may still spend on calls to a model, in micro-USD: what was reserved for it, less what it has
 * cost. A call is made only where the most that it may cost still fits, so that no unit of work costs more than was
 * reserved.
 */
export class Spending {
  #leftMicroUsd: number
  constructor(leftMicroUsd: number) {
    this.#leftMicroUsd = leftMicroUsd
  }

  covers(microUsd: number): boolean {
    return microUsd <= this.#leftMicroUsd
  }

  spend(microUsd: number): void {
    this.#leftMicroUsd -= microUsd
  }
}

/** Null: nobody set a limit. */
export const SpendingLimit = Context.Reference<Spending | null>("pipeline/SpendingLimit", { defaultValue: () => null })
