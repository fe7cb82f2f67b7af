import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Where the messages of a session go. Ids are Telegram's, below 2^53. */
export interface Chat {
  readonly chatId: number
  /** 0: none. */
  readonly threadId: number
  readonly status: "active" | "blocked" | "unreachable" | "closed"
}

/** A bot's chat, by the session that is held in it. */
export interface ChatRef {
  readonly appId: string
  readonly channelId: string
  readonly sessionId: string
}

export class ChatsUnavailable extends Schema.TaggedError<ChatsUnavailable>()("ChatsUnavailable", {
  cause: Schema.Defect()
}) {}

/** Port: the chats of bots. */
export class TelegramChats extends Context.Service<
  TelegramChats,
  {
    /** The person has blocked the bot, or there is no way to the chat. Where that is news, the app is told. */
    readonly mark: (
      ref: ChatRef,
      status: "blocked" | "unreachable",
      reason: string
    ) => Effect.Effect<void, ChatsUnavailable>
    /** The group became another chat. */
    readonly migrate: (ref: ChatRef, from: number, to: number) => Effect.Effect<void, ChatsUnavailable>
    /** The topic is gone: from now on the chat itself is meant. */
    readonly leaveThread: (ref: ChatRef) => Effect.Effect<void, ChatsUnavailable>
    /**
     * A line for when the character could not answer: an authored one, or none of ours. At most one an hour in a chat;
     * null: there has been one. For the same cursor the answer stays the same.
     */
    readonly apology: (ref: ChatRef, cursor: number) => Effect.Effect<string | null, ChatsUnavailable>
  }
>()("channels/telegram/TelegramChats") {}
