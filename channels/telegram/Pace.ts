import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Chat, ChatRef, ChatsUnavailable } from "./TelegramChats.ts"

/**
 * A call in progress: until when the chat's slots are taken, and by how much that exceeds the value for an immediate
 * return.
 */
export interface InFlightCall {
  readonly chatId: number
  readonly untilMs: number
  readonly aheadMs: number
}

/** `inFlight`: null if the chat has no rate limit. */
export interface PaceGrant {
  readonly chat: Chat
  readonly inFlight: InFlightCall | null
}

/**
 * Port: the rate limits of a bot, over all processes (telegram.md 5.3). Every call that is visible in a chat counts,
 * whatever its method. A private chat allows one per second with a burst of three, a group one in three seconds, a bot
 * a hundred per second, at most 25 of them proactive. After a 429 the chat is paused for the requested time, and then
 * runs at half the rate for a minute. So does the bot if several of its chats got one.
 */
export class Pace extends Context.Service<
  Pace,
  {
    /**
     * Takes a slot of the bot for a message, and returns when it has one in the chat, which is promised to nobody else
     * in the meantime. If the delay is longer than `within`, nothing was taken. Null: neither was anything, because a
     * service reply from before the session goes first.
     */
    readonly reserve: (
      ref: ChatRef,
      options: { readonly proactive: boolean; readonly within: Duration.Duration }
    ) => Effect.Effect<Duration.Duration | null, ChatsUnavailable>
    /**
     * The message is sent now, and takes its slot in the chat. `wait`: another call was faster, and it must not be
     * sent. Undefined: there is no chat. Calls that are spaced out when they depart can arrive close together, so until
     * a call returns, it is counted as if it took a second.
     */
    readonly acquire: (
      ref: ChatRef
    ) => Effect.Effect<PaceGrant | { readonly wait: Duration.Duration } | undefined, ChatsUnavailable>
    /**
     * A call of the chat has returned, so it has arrived by now, and later calls in all processes are counted from
     * here. If it may still arrive, nothing is refunded: `aheadMs` is 0.
     */
    readonly release: (ref: ChatRef, call: InFlightCall) => Effect.Effect<void, ChatsUnavailable>
    /**
     * Takes a slot for something optional, if one is free now and a person is still waiting for an answer. `over`:
     * nobody is waiting.
     */
    readonly tryAcquire: (ref: ChatRef) => Effect.Effect<PaceGrant | "busy" | "over", ChatsUnavailable>
    /** Telegram answered 429. */
    readonly backOff: (ref: ChatRef, after: Duration.Duration) => Effect.Effect<void, ChatsUnavailable>
  }
>()("channels/telegram/Pace") {}
