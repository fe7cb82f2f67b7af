import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Chat, ChatRef, ChatsUnavailable } from "./TelegramChats.ts"

/** A chat by its own name, where no session is held. */
export interface BareChat {
  readonly appId: string
  readonly channelId: string
  readonly chatId: number
}
export type PacedChat = ChatRef | BareChat

/**
 * A call that has departed: to when the chat's places are taken with it, and by how much that is ahead of what they
 * would be if it came in at once.
 */
export interface UnderWay {
  readonly chatId: number
  readonly untilMs: number
  readonly aheadMs: number
}

/** `underWay`: null where the chat's pace is not kept. */
export interface Departure {
  readonly chat: Chat
  readonly underWay: UnderWay | null
}

/**
 * Port: how fast a bot may go, for all processes together (telegram.md 5.3). Every call that a chat sees counts,
 * whatever its method: a private chat takes one a second with a burst of three, a group one in three seconds, a bot a
 * hundred a second, and no more than 25 of them of its own accord. After a 429 the chat is left alone for as long as
 * was asked, then goes at half the speed for a minute; the bot too, when several chats got one.
 */
export class Pace extends Context.Service<
  Pace,
  {
    /**
     * Takes a place of the bot's for a message, and says in how long it has one in the chat as well, which nobody else
     * is told meanwhile. Longer than `within`: nothing was taken.
     */
    readonly reserve: (
      ref: PacedChat,
      options: { readonly proactive: boolean; readonly within: Duration.Duration }
    ) => Effect.Effect<Duration.Duration, ChatsUnavailable>
    /**
     * The message goes out now, and takes its place in the chat. `wait`: another call came before it, and it must not
     * go. Undefined: there is no chat. What is spaced out at departure can come together on the way: until it has
     * returned it is counted as if it took a second.
     */
    readonly departs: (
      ref: PacedChat
    ) => Effect.Effect<Departure | { readonly wait: Duration.Duration } | undefined, ChatsUnavailable>
    /**
     * A call of the chat's has come back: it arrived no later than now, and what follows is counted from here,
     * whichever process sends it. Of one that may come in yet nothing is given back: `aheadMs` is 0.
     */
    readonly returned: (ref: PacedChat, call: UnderWay) => Effect.Effect<void, ChatsUnavailable>
    /**
     * Takes a place for something that may as well not be sent, if there is one now and somebody still waits for an
     * answer. `over`: nobody does.
     */
    readonly spare: (ref: ChatRef) => Effect.Effect<Departure | "busy" | "over", ChatsUnavailable>
    /** Telegram answered 429. */
    readonly penalise: (ref: PacedChat, after: Duration.Duration) => Effect.Effect<void, ChatsUnavailable>
  }
>()("channels/telegram/Pace") {}
