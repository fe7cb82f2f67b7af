import * as Context from "effect/Context"

/** What a call is checked against before it is made, and booked on afterwards. */
export interface Allowance {
  readonly covers: (microUsd: number) => boolean
  readonly spend: (microUsd: number) => void
  /** The same allowance for an optional call, which must leave this amount for the calls after it. */
  readonly keeping: (microUsd: number) => Allowance
}

/**
 * What a unit of work may still spend on model calls, in micro-USD: its reservation minus its cost so far. A call is
 * made only if its maximum cost still fits, so no unit of work costs more than its reservation.
 */
export class Spending implements Allowance {
  readonly #mostMicroUsd: number
  #leftMicroUsd: number
  constructor(mostMicroUsd: number) {
    this.#mostMicroUsd = mostMicroUsd
    this.#leftMicroUsd = mostMicroUsd
  }

  get spentMicroUsd(): number {
    return this.#mostMicroUsd - this.#leftMicroUsd
  }

  covers(microUsd: number): boolean {
    return microUsd <= this.#leftMicroUsd
  }

  spend(microUsd: number): void {
    this.#leftMicroUsd -= microUsd
  }

  keeping(kept: number): Allowance {
    return {
      covers: (microUsd) => this.covers(microUsd + kept),
      spend: (microUsd) => this.spend(microUsd),
      keeping: (more) => this.keeping(kept + more)
    }
  }
}

/** Null: there is no limit. */
export const SpendingLimit = Context.Reference<Allowance | null>("pipeline/SpendingLimit", { defaultValue: () => null })
