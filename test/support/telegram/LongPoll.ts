import type { Update } from "@grammyjs/types"
import type { Clock } from "./Clock.ts"
import { conflict } from "./Refusal.ts"
import type { UpdateQueue } from "./UpdateQueue.ts"

export interface PollRequest {
  readonly offset: number
  readonly limit: number
  readonly timeoutSeconds: number
}

const OTHER_REQUEST = "terminated by other getUpdates request; make sure that only one bot instance is running"
const HURRIED_MS = 3_000

/** The single `getUpdates` of a token that may wait. A second one ends the first. */
export class LongPoll {
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  #refuseWaiting: ((reason: unknown) => void) | undefined
  #nextConflictAtMs = 0
  #previous = { offset: Number.NaN, atMs: 0 }

  constructor(queue: UpdateQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
  }

  async get(asked: PollRequest): Promise<ReadonlyArray<Update>> {
    const nowMs = this.#clock.nowMs()
    const isAgain = asked.offset === this.#previous.offset
    // Repeating the same request at once is slowed down.
    const timeoutSeconds =
      isAgain && nowMs < this.#previous.atMs + HURRIED_MS ? Math.max(asked.timeoutSeconds, 3) : asked.timeoutSeconds
    const limit = isAgain && nowMs < this.#previous.atMs + 500 ? 1 : asked.limit
    this.#previous = { offset: asked.offset, atMs: nowMs }

    if (asked.offset < 0) this.#queue.keepLast(-asked.offset)
    else if (asked.offset <= this.#queue.nextId) this.#queue.forgetBefore(asked.offset)
    const look = () =>
      this.#queue
        .pending()
        .slice(0, limit)
        .map(({ update }) => update)
    if (timeoutSeconds === 0 || look().length > 0) return look()
    this.abort(OTHER_REQUEST)
    await this.#wait(timeoutSeconds)
    return look()
  }

  /** Ends the waiting request with a 409. */
  abort(reason: string): void {
    const refuse = this.#refuseWaiting
    this.#refuseWaiting = undefined
    if (refuse !== undefined) void this.refusal(reason).then(refuse)
  }

  /** Ends the waiting request because its token was revoked. */
  fail(reason: unknown): void {
    this.#refuseWaiting?.(reason)
    this.#refuseWaiting = undefined
  }

  /** A 409. It is delayed by 3 s if there was one just before. */
  async refusal(reason: string) {
    if (this.#clock.nowMs() < this.#nextConflictAtMs) await this.#clock.wait(HURRIED_MS)
    else this.#nextConflictAtMs = this.#clock.nowMs() + HURRIED_MS
    return conflict(reason)
  }

  async #wait(seconds: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#refuseWaiting = reject
    // A request that was ended only waits for its refusal.
    const answer = () => {
      if (this.#refuseWaiting === reject) resolve()
    }
    const cancel = this.#clock.after(seconds * 1_000, answer)
    const unwatch = this.#queue.watch(answer)
    try {
      await promise
    } finally {
      cancel()
      unwatch()
      if (this.#refuseWaiting === reject) this.#refuseWaiting = undefined
    }
  }
}
