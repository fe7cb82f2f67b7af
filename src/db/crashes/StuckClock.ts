import type { Seen } from "#src/units/vitals.ts"

/** A sample of the main thread's state. `unit`: the unit that it has been in for most of the time. Empty: unknown. */
export interface Sample {
  /** How long the event loop has been stuck, in milliseconds. */
  readonly stuckMs: number
  readonly unit: string
  readonly workerId: string
}

/** Below this CPU share, the main thread is not computing but waiting for a disk or a debugger. */
const MIN_CPU = 0.05

/**
 * Measures how long the main thread has been computing without returning to its event loop. Pure: time and CPU time are
 * inputs. If the process was suspended or the machine slept, a sample comes late. So no sample counts for more than the
 * sampling interval. Until the first unit of work, the process is starting, and no time counts: on a busy machine a
 * start may take longer than any unit may, and a process that is killed for that would never start.
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

  look({ beats, hasWorked, entry, unit, workerId }: Seen, nowMs: number, cpuMs: number): Sample {
    const passedMs = nowMs - this.#atMs
    const computed = cpuMs - this.#cpuMs >= passedMs * MIN_CPU
    const counted = hasWorked && computed ? Math.min(passedMs, this.#betweenMs) : 0
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
