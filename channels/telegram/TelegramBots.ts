import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** What becomes of a message whose fate is unknown: nothing, one more try, or one more try that says so. */
export const UNKNOWN_POLICIES = ["skip", "resend_once", "resend_marked"] as const
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

/** A bot as one that sends for it needs it. */
export interface SendingBot {
  readonly token: Redacted.Redacted<string>
  readonly tokenVersion: number
  readonly unknownPolicy: UnknownPolicy
  /** Whether a private chat is shown a draft that can be stopped, and not that somebody types. */
  readonly drafts: boolean
}

/** The bots cannot be looked up just now: ours, and passing. */
export class BotsUnavailable extends Schema.TaggedError<BotsUnavailable>()("BotsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the bots by their channel. Undefined: there is no such bot any more, or it has no token. */
export class TelegramBots extends Context.Service<
  TelegramBots,
  {
    /**
     * `version` is the channel's, as a delivery shows it: what an older version left in memory does not answer for it.
     */
    readonly get: (
      appId: string,
      channelId: string,
      version: number
    ) => Effect.Effect<SendingBot | undefined, BotsUnavailable>
    /** Telegram says that this token is dead. False: the bot has another one by now. */
    readonly revoke: (appId: string, channelId: string, tokenVersion: number) => Effect.Effect<boolean, BotsUnavailable>
    /** Telegram has frozen the bot. */
    readonly degrade: (appId: string, channelId: string, reason: "frozen") => Effect.Effect<void, BotsUnavailable>
    /** Telegram takes no drafts of this bot. */
    readonly endDrafts: (appId: string, channelId: string) => Effect.Effect<void, BotsUnavailable>
  }
>()("channels/telegram/TelegramBots") {}
