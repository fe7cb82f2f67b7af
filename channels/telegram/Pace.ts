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
 * Port: how fast a bot may go, for all processes together (telegram.md 5.3). Every call that a chat sees counts, whatever its method:
 * a private chat takes one a second with a burst of three, a group one in three seconds, a bot a hundred a second, and no more than 25 of them of its own accord.
 * After a 429 the chat is left alone for as long as was asked, then goes at half the speed for a minute; the bot too, when several chats got one.
 */
export class Pace extends Context.Service<Pace, {
  /** Takes a place for a message. Longer than `within`: nothing was taken. Else the place is in so long. */
  readonly reserve: (ref: PacedChat, options: { readonly proactive: boolean; readonly within: Duration.Duration }) => Effect.Effect<Duration.Duration, ChatsUnavailable>
  /** The message goes out now, be it later than its place was: the next one is counted from here. Gives the chat, undefined where there is none. */
  readonly departs: (ref: PacedChat) => Effect.Effect<Chat | undefined, ChatsUnavailable>
  /**
   * A call of the chat's has come back: it arrived no later than now, and the next one is counted from here, whichever process makes it.
   * What is spaced out at departure can come together on the way; one that never comes back is counted as if it took a second.
   */
  readonly returned: (ref: PacedChat) => Effect.Effect<void, ChatsUnavailable>
  /** A call was broken off, or its connection: it may come in yet, and is counted as one that leaves now. */
  readonly lost: (ref: PacedChat) => Effect.Effect<void, ChatsUnavailable>
  /** Takes a place for something that may as well not be sent, if there is one now and somebody still waits for an answer. `over`: nobody does. */
  readonly spare: (ref: ChatRef) => Effect.Effect<{ readonly chat: Chat } | "busy" | "over", ChatsUnavailable>
  /** Telegram answered 429. */
  readonly penalise: (ref: PacedChat, after: Duration.Duration) => Effect.Effect<void, ChatsUnavailable>
}>()("channels/telegram/Pace") {}
