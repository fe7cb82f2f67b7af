import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** What to do with a message with unknown result: nothing, one more try, or one more try with a mark. */
export const UNKNOWN_POLICIES = ["skip", "resend_once", "resend_marked"] as const
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

/** What is needed to send for a bot. */
export interface SendingBot {
  readonly token: Redacted.Redacted<string>
  readonly tokenVersion: number
  readonly unknownPolicy: UnknownPolicy
  /** Whether private chats get a draft that can be stopped, instead of a typing indicator. */
  readonly drafts: boolean
}

/** The bots are temporarily unavailable, through our own fault. */
export class BotsUnavailable extends Schema.TaggedError<BotsUnavailable>()("BotsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: bots by channel. Undefined: the bot no longer exists, or has no token. */
export class TelegramBots extends Context.Service<
  TelegramBots,
  {
    /** `version` is the channel's version in the delivery. A cached bot of an older version is not used. */
    readonly get: (
      appId: string,
      channelId: string,
      version: number
    ) => Effect.Effect<SendingBot | undefined, BotsUnavailable>
    /** Telegram has rejected this token. False: the bot has another one now. */
    readonly revoke: (appId: string, channelId: string, tokenVersion: number) => Effect.Effect<boolean, BotsUnavailable>
    /** Telegram has frozen the bot. */
    readonly degrade: (appId: string, channelId: string, reason: "frozen") => Effect.Effect<void, BotsUnavailable>
    /** Telegram rejects drafts of this bot. */
    readonly endDrafts: (appId: string, channelId: string) => Effect.Effect<void, BotsUnavailable>
  }
>()("channels/telegram/TelegramBots") {}
