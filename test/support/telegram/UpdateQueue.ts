import type { Update } from "@grammyjs/types"
import { randomInt } from "node:crypto"
import type { Clock } from "./Clock.ts"

export type UpdateKind = Exclude<keyof Update, "update_id">

export interface QueuedUpdate {
  readonly update: Update
  readonly kind: UpdateKind
  /** Updates of one lane are delivered in order. There is no order between lanes. */
  readonly lane: string
  readonly expiresAtMs: number
}

const DAY_MS = 86_400_000
const KEPT_MS: Partial<Record<UpdateKind, number>> = { callback_query: 150_000, pre_checkout_query: 150_000 }

/** The unconfirmed updates of one bot. The queue belongs to the bot, not to its token. */
export class UpdateQueue {
  readonly #clock: Clock
  readonly #pending = new Map<number, QueuedUpdate>()
  readonly #watchers = new Set<(queued: QueuedUpdate) => void>()
  #nextId = 0
  #lastAtMs = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  push(kind: UpdateKind, content: unknown, lane: string): Update {
    const nowMs = this.#clock.nowMs()
    // After a week without updates, the next number is random again.
    if (nowMs - this.#lastAtMs > 7 * DAY_MS) this.#nextId = randomInt(100_000_000, 900_000_000)
    this.#lastAtMs = nowMs
    const update: Update = { update_id: this.#nextId++, [kind]: content }
    const queued = { update, kind, lane, expiresAtMs: nowMs + (KEPT_MS[kind] ?? DAY_MS) }
    this.#pending.set(update.update_id, queued)
    for (const watcher of this.#watchers) watcher(queued)
    return update
  }

  /** In order, without expired ones. */
  pending(): ReadonlyArray<QueuedUpdate> {
    const nowMs = this.#clock.nowMs()
    for (const [id, { expiresAtMs }] of this.#pending) {
      if (expiresAtMs < nowMs) this.#pending.delete(id)
    }
    return [...this.#pending.values()]
  }

  has(id: number): boolean {
    return this.#pending.has(id)
  }

  get nextId(): number {
    return this.#nextId
  }

  forget(id: number): void {
    this.#pending.delete(id)
  }

  forgetBefore(id: number): void {
    for (const known of this.#pending.keys()) if (known < id) this.#pending.delete(known)
  }

  keepLast(count: number): void {
    for (const id of [...this.#pending.keys()].slice(0, -count)) this.#pending.delete(id)
  }

  clear(): void {
    this.#pending.clear()
  }

  /** Returns a function that stops watching. */
  watch(watcher: (queued: QueuedUpdate) => void): () => void {
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
    }
  }
}
