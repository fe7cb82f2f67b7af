import { MAX_UNIT_BYTES } from "./Unit.ts"

/** Indexes of the integers at the start of the shared memory. */
const BEATS = 0
const ENTRY = 1
const UNIT_LENGTH = 2
const WORKER_LENGTH = 3
const HEAD = 4
const UNIT_AT = HEAD * Int32Array.BYTES_PER_ELEMENT
const MAX_WORKER_BYTES = 64
const WORKER_AT = UNIT_AT + MAX_UNIT_BYTES

/**
 * What the monitor thread sees of the main thread. `entry` is 0 outside of any unit, or else a number that changes each
 * time a unit is entered. `hasWorked`: a unit was entered at some time.
 */
export interface Seen {
  readonly beats: number
  readonly hasWorked: boolean
  readonly entry: number
  readonly unit: string
  readonly workerId: string
}

/**
 * Shared memory in which the main thread reports that it is alive and which unit of work it is in. One side writes, the
 * other reads.
 */
export class Vitals {
  readonly memory: SharedArrayBuffer
  readonly #head: Int32Array
  readonly #bytes: Buffer

  constructor(memory = new SharedArrayBuffer(WORKER_AT + MAX_WORKER_BYTES)) {
    this.memory = memory
    this.#head = new Int32Array(memory, 0, HEAD)
    this.#bytes = Buffer.from(memory)
  }

  beat(): void {
    Atomics.add(this.#head, BEATS, 1)
  }

  /** Writes the name of a unit before it is entered. */
  write(unit: string): void {
    Atomics.store(this.#head, UNIT_LENGTH, this.#bytes.write(unit, UNIT_AT, MAX_UNIT_BYTES, "latin1"))
  }

  enter(entry: number): void {
    Atomics.store(this.#head, ENTRY, entry)
  }

  /** The worker id of this process. Empty: it is not registered. */
  nameWorker(workerId: string): void {
    Atomics.store(this.#head, WORKER_LENGTH, this.#bytes.write(workerId, WORKER_AT, MAX_WORKER_BYTES, "latin1"))
  }

  see(): Seen {
    const entry = Atomics.load(this.#head, ENTRY)
    const unitLength = Atomics.load(this.#head, UNIT_LENGTH)
    const text = (at: number, length: number) => this.#bytes.toString("latin1", at, at + length)
    return {
      beats: Atomics.load(this.#head, BEATS),
      hasWorked: unitLength > 0,
      entry,
      unit: entry === 0 ? "" : text(UNIT_AT, unitLength),
      workerId: text(WORKER_AT, Atomics.load(this.#head, WORKER_LENGTH))
    }
  }
}
