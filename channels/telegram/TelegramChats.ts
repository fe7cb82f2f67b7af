import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The destination of a session's messages. Ids are Telegram's, below 2^53. */
export interface Chat {
  readonly chatId: number
  /** 0: none. */
  readonly threadId: number
  readonly status: "active" | "blocked" | "unreachable" | "closed"
}

/** A bot's chat, identified by its session, or by its service log. */
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
    /** The person has blocked the bot, or the chat cannot be reached. If this is new, the app is notified. */
    readonly mark: (
      ref: ChatRef,
      status: "blocked" | "unreachable",
      reason: string
    ) => Effect.Effect<void, ChatsUnavailable>
    /** The group has moved to another chat. */
    readonly migrate: (ref: ChatRef, from: number, to: number) => Effect.Effect<void, ChatsUnavailable>
    /** The topic was deleted. From now on, messages go to the chat itself. */
    readonly leaveThread: (ref: ChatRef) => Effect.Effect<void, ChatsUnavailable>
    /**
     * A line for when the character could not answer: an authored one, or ours if there is none. At most one an hour
     * per chat. Null: there was one. The same cursor always gets the same line.
     */
    readonly apology: (ref: ChatRef, cursor: number) => Effect.Effect<string | null, ChatsUnavailable>
    /** The line that says that the character has left. */
    readonly ending: (ref: ChatRef) => Effect.Effect<string, ChatsUnavailable>
  }
>()("channels/telegram/TelegramChats") {}
