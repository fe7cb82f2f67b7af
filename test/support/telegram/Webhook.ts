import { randomInt } from "node:crypto"
import type { Clock } from "./Clock.ts"
import type { QueuedUpdate, UpdateQueue } from "./UpdateQueue.ts"
import { WebhookLine, type WebhookAnswer } from "./WebhookLine.ts"

export interface WebhookSettings {
  readonly url: string
  readonly secret: string
  readonly maxConnections: number
  /** The bot's own certificate, in PEM. */
  readonly certificate?: Buffer
}

/** One attempt to deliver an update, with its result. */
export interface WebhookDelivery {
  readonly botId: number
  readonly updateId: number
  readonly lane: string
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** The status of the answer, or the error. */
  readonly outcome: number | string
}

export interface WebhookEvents {
  readonly delivered: (delivery: Omit<WebhookDelivery, "botId">) => void
  /** Receives a method in the body of an answer. */
  readonly replied: (answer: WebhookAnswer) => void
  /** Called after 23 hours of 410. */
  readonly abandoned: () => void
}

interface Lane {
  readonly updates: Array<QueuedUpdate>
  failures: number
  delaySeconds: number
}

const GONE_FOR_MS = 23 * 3_600_000
const LONGEST_RETRY_AFTER_SECONDS = 3_600

/**
 * Delivers the updates of a bot: sequentially within each lane, lanes in parallel on up to `maxConnections`. A failed
 * update is sent again at once, then after 2, 4, 8 ... seconds up to a random 60-120, or after `Retry-After`. Only its
 * lane waits.
 */
export class Webhook {
  readonly settings: WebhookSettings
  lastError: { readonly date: number; readonly message: string } | undefined
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  readonly #events: WebhookEvents
  readonly #line: WebhookLine
  readonly #lanes = new Map<string, Lane>()
  readonly #ready: Array<string> = []
  readonly #unwatch: () => void
  #inFlight = 0
  #goneSinceMs: number | undefined
  #stopped = false

  constructor(settings: WebhookSettings, queue: UpdateQueue, clock: Clock, events: WebhookEvents) {
    this.settings = settings
    this.#queue = queue
    this.#clock = clock
    this.#events = events
    this.#line = new WebhookLine(settings, clock)
    for (const queued of queue.pending()) this.#take(queued)
    this.#unwatch = queue.watch((queued) => this.#take(queued))
  }

  stop(): void {
    this.#stopped = true
    this.#unwatch()
    this.#line.close()
  }

  #take(queued: QueuedUpdate): void {
    const lane = this.#lanes.get(queued.lane)
    if (lane !== undefined) {
      lane.updates.push(queued)
      return
    }
    this.#lanes.set(queued.lane, { updates: [queued], failures: 0, delaySeconds: 1 })
    this.#makeReady(queued.lane)
  }

  #makeReady(key: string): void {
    this.#ready.push(key)
    this.#pump()
  }

  #pump(): void {
    while (!this.#stopped && this.#inFlight < this.settings.maxConnections) {
      const key = this.#ready.shift()
      if (key === undefined) return
      void this.#deliver(key)
    }
  }

  async #deliver(key: string): Promise<void> {
    const lane = this.#lanes.get(key)
    const queued = lane?.updates[0]
    if (lane === undefined || queued === undefined) return
    if (queued.expiresAtMs < this.#clock.nowMs()) return this.#drop(key, lane)
    this.#inFlight += 1
    const startedAtMs = this.#clock.nowMs()
    const answer = await this.#line.post(queued.update)
    this.#inFlight -= 1
    const outcome = answer.error ?? answer.status
    this.#events.delivered({
      updateId: queued.update.update_id,
      lane: key,
      startedAtMs,
      endedAtMs: this.#clock.nowMs(),
      outcome
    })
    if (this.#stopped) return
    if (answer.error === undefined && answer.status >= 200 && answer.status <= 299) {
      this.#goneSinceMs = undefined
      this.#events.replied(answer)
      this.#drop(key, lane)
    } else {
      this.#retry(key, lane, queued, answer)
    }
    this.#pump()
  }

  #drop(key: string, lane: Lane): void {
    const queued = lane.updates.shift()
    if (queued !== undefined) this.#queue.forget(queued.update.update_id)
    lane.failures = 0
    lane.delaySeconds = 1
    if (lane.updates.length === 0) this.#lanes.delete(key)
    else this.#makeReady(key)
  }

  #retry(key: string, lane: Lane, queued: QueuedUpdate, answer: WebhookAnswer): void {
    this.lastError = {
      date: this.#clock.seconds(),
      message: answer.error ?? `Wrong response from the webhook: ${answer.status} ${answer.reason}`
    }
    if (answer.error === undefined && this.#isAbandoned(answer.status)) return this.#events.abandoned()
    let seconds = Math.min(answer.retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS)
    if (seconds === 0 && lane.failures > 0) {
      lane.delaySeconds = Math.min(randomInt(60, 121), lane.delaySeconds * 2)
      seconds = lane.delaySeconds
    }
    if (this.#clock.nowMs() + seconds * 1_000 > queued.expiresAtMs) return this.#drop(key, lane)
    lane.failures += 1
    this.#clock.after(seconds * 1_000, () => this.#makeReady(key))
  }

  #isAbandoned(status: number): boolean {
    if (status !== 410) {
      this.#goneSinceMs = undefined
      return false
    }
    this.#goneSinceMs ??= this.#clock.nowMs()
    return this.#clock.nowMs() - this.#goneSinceMs > GONE_FOR_MS
  }
}
