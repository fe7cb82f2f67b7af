import type { ApiResponse } from "@grammyjs/types"
import type { Bot } from "./Bot.ts"

/** One request to the Bot API, with its result. */
export interface LoggedCall {
  readonly method: string
  readonly botId: number
  /** As the bot wrote it. */
  readonly chatId: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
  /** Telegram's time, in milliseconds. */
  readonly atMs: number
  endedAtMs: number | undefined
  /** The fault that was applied, or `rate_limit`. */
  fault: string | undefined
  /** The answer, even if a fault replaced it. Undefined while the request runs, and if the method never ran. */
  answer: ApiResponse<unknown> | undefined
}

export interface CallFilter {
  readonly method?: string
  readonly bot?: Bot
  readonly chat?: number
}

/** All requests in order. */
export class CallLog {
  readonly entries: Array<LoggedCall> = []
  readonly #watchers = new Set<() => void>()

  add(entry: LoggedCall): void {
    this.entries.push(entry)
  }

  /** Call it at the end of each request. */
  ended(): void {
    for (const watcher of this.#watchers) watcher()
  }

  calls({ bot, chat, method }: CallFilter = {}): ReadonlyArray<LoggedCall> {
    return this.entries.filter(
      (call) =>
        (method === undefined || call.method === method) &&
        (bot === undefined || call.botId === bot.id) &&
        (chat === undefined || call.chatId === String(chat))
    )
  }

  /** Resolves with the matching calls once this many have ended. */
  called(filter: CallFilter, count = 1): Promise<ReadonlyArray<LoggedCall>> {
    const { promise, resolve } = Promise.withResolvers<ReadonlyArray<LoggedCall>>()
    const look = () => {
      const ended = this.calls(filter).filter(({ endedAtMs }) => endedAtMs !== undefined)
      if (ended.length < count) return
      this.#watchers.delete(look)
      resolve(ended)
    }
    this.#watchers.add(look)
    look()
    return promise
  }
}
