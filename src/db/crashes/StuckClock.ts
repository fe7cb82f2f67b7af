import type { Seen } from "#src/units/vitals.ts"

/** What a look at the main thread says. `unit`: the one that it has been in for most of the time; empty: not known. */
export interface Look {
  /** For how long the event loop has been stuck, in milliseconds. */
  readonly stuckMs: number
  readonly unit: string
  readonly workerId: string
}

/** Less of a processor than this, and the main thread is not computing: it waits for a disk, or for a debugger. */
const LEAST_CPU = 0.05

/**
 * For how long the main thread has not come back to its event loop while it was computing. Pure: time and processor
 * time are given. A process that was stopped as a whole, or that slept with its machine, has a look that comes late. No
 * look counts for more than the time between two.
 */
export class StuckClock {
  readonly #betweenMs: number
  #beats = -1
  #entry = 0
  #stuckMs = 0
  #sameMs = 0
  #atMs: number
  #cpuMs: number

  constructor(betweenMs: number, nowMs: number, cpuMs: number) {
    this.#betweenMs = betweenMs
    this.#atMs = nowMs
    this.#cpuMs = cpuMs
  }

  look({ beats, entry, unit, workerId }: Seen, nowMs: number, cpuMs: number): Look {
    const passedMs = nowMs - this.#atMs
    const counted = cpuMs - this.#cpuMs >= passedMs * LEAST_CPU ? Math.min(passedMs, this.#betweenMs) : 0
    this.#atMs = nowMs
    this.#cpuMs = cpuMs
    const isStuck = beats === this.#beats
    this.#stuckMs = isStuck ? this.#stuckMs + counted : 0
    this.#sameMs = isStuck && entry === this.#entry ? this.#sameMs + counted : 0
    this.#beats = beats
    this.#entry = entry
    return { stuckMs: this.#stuckMs, unit: this.#sameMs * 2 >= this.#stuckMs ? unit : "", workerId }
  }
}
