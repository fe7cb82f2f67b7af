import type { Clock } from "./Clock.ts"

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Rate limits over all methods together, including typing indicators. */
export interface RateLimits {
  /** For each private chat. */
  readonly chat?: Rate
  readonly group?: Rate
  readonly bot?: Rate
  /** New tokens: 20 a minute and 600 an hour. */
  readonly newTokens?: boolean
}

interface Bucket {
  tokens: number
  atMs: number
}

const NEW_TOKENS = [
  { withinMs: 60_000, most: 20 },
  { withinMs: 3_600_000, most: 600 }
]

/** Returns how many seconds a call has to wait. 0: it may proceed. */
export class Rates {
  readonly #limits: RateLimits
  readonly #clock: Pick<Clock, "nowMs">
  readonly #buckets = new Map<string, Bucket>()
  #newTokensAtMs: Array<number> = []

  constructor(limits: RateLimits, clock: Pick<Clock, "nowMs">) {
    this.#limits = limits
    this.#clock = clock
  }

  takeCall(botId: number, chatId: string | undefined): number {
    const { bot, chat, group } = this.#limits
    const ofChat = chatId?.startsWith("-") === true ? group : chat
    const waits = [
      this.#wait(`bot ${botId}`, bot),
      chatId === undefined ? 0 : this.#wait(`chat ${botId} ${chatId}`, ofChat)
    ]
    const wait = Math.max(...waits)
    if (wait > 0) return Math.ceil(wait)
    this.#take(`bot ${botId}`)
    this.#take(`chat ${botId} ${chatId}`)
    return 0
  }

  takeNewToken(): number {
    if (this.#limits.newTokens !== true) return 0
    const nowMs = this.#clock.nowMs()
    for (const { most, withinMs } of NEW_TOKENS) {
      const first = this.#newTokensAtMs.filter((atMs) => atMs > nowMs - withinMs).at(-most)
      if (first !== undefined) return Math.ceil((first + withinMs - nowMs) / 1_000)
    }
    this.#newTokensAtMs.push(nowMs)
    return 0
  }

  #wait(key: string, rate: Rate | undefined): number {
    if (rate === undefined) return 0
    const nowMs = this.#clock.nowMs()
    const { atMs, tokens } = this.#buckets.get(key) ?? { tokens: rate.burst, atMs: nowMs }
    const filled = Math.min(rate.burst, tokens + ((nowMs - atMs) / 1_000) * rate.perSecond)
    this.#buckets.set(key, { tokens: filled, atMs: nowMs })
    return filled >= 1 ? 0 : (1 - filled) / rate.perSecond
  }

  #take(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket !== undefined) bucket.tokens -= 1
  }
}
