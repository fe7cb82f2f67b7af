import type { Clock } from "./Clock.ts"
import { tooManyRequests } from "./Refusal.ts"

const MAX_OF_CHAT = 310
const MAX_OF_BOT = 1_000
const TURNED_AWAY_AFTER_MS = 3_000
const TURNED_AWAY_FOR_SECONDS = 60

/** The calls in progress. One too many for a chat or a bot is held for 3 s, and then told to retry in a minute. */
export class Crowd {
  readonly #clock: Clock
  readonly #inside = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async enter<A>(
    botId: number,
    chatId: string | undefined,
    work: () => Promise<A>,
    turnedAway: (cause: unknown) => A
  ): Promise<A> {
    const [ofBot, ofChat] = [`bot ${botId}`, `chat ${botId} ${chatId}`]
    if (this.#count(ofBot) >= MAX_OF_BOT || (chatId !== undefined && this.#count(ofChat) >= MAX_OF_CHAT)) {
      await this.#clock.wait(TURNED_AWAY_AFTER_MS)
      return turnedAway(tooManyRequests(TURNED_AWAY_FOR_SECONDS))
    }
    this.#add([ofBot, ofChat], 1)
    try {
      return await work()
    } finally {
      this.#add([ofBot, ofChat], -1)
    }
  }

  #count(key: string): number {
    return this.#inside.get(key) ?? 0
  }

  #add(keys: ReadonlyArray<string>, change: number): void {
    for (const key of keys) {
      const count = this.#count(key) + change
      if (count === 0) this.#inside.delete(key)
      else this.#inside.set(key, count)
    }
  }
}
