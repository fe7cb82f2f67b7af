import * as Context from "effect/Context"

/**
 * What a unit of work may still spend on model calls, in micro-USD: its reservation minus its cost so far. A call is
 * made only if its maximum cost still fits, so no unit of work costs more than its reservation.
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

/** Null: there is no limit. */
export const SpendingLimit = Context.Reference<Spending | null>("pipeline/SpendingLimit", { defaultValue: () => null })
