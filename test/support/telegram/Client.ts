import type { Bot } from "./Bot.ts"
import type { Clock } from "./Clock.ts"
import { DEFAULT_UPDATES } from "./allowedUpdates.ts"
import { LongPoll } from "./LongPoll.ts"
import { unauthorized } from "./Refusal.ts"
import type { UpdateKind } from "./UpdateQueue.ts"
import type { Webhook } from "./Webhook.ts"

/** The server's state for a token. A new token of the same bot has no webhook, but the same queue of updates. */
export class Client {
  readonly bot: Bot
  readonly token: string
  readonly createdAtMs: number
  readonly poll: LongPoll
  allowedUpdates: ReadonlySet<UpdateKind> = DEFAULT_UPDATES
  webhook: Webhook | undefined
  nextSetWebhookAtMs = 0
  loggedOutUntilMs = 0
  /** Whether this token was used in a request. */
  isLoaded = false

  constructor(bot: Bot, token: string, clock: Clock) {
    this.bot = bot
    this.token = token
    this.createdAtMs = clock.nowMs()
    this.poll = new LongPoll(bot.updates, clock)
  }

  dropWebhook(): void {
    this.webhook?.stop()
    this.webhook = undefined
  }

  close(): void {
    this.dropWebhook()
    this.poll.fail(unauthorized())
  }
}
