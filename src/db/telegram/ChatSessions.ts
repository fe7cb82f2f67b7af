import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { CharacterUnavailable, Sessions } from "#src/db/conversation/Sessions.ts"
import type { Relationships } from "#src/db/memory/Relationships.ts"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { QuotaReached } from "#src/db/tenancy/quotas.ts"
import { languagesOfChat } from "./chatLanguages.ts"
import { type Chat, reviveChat, type Unreachable, markChatUnreachable } from "./conversations/chatStatus.ts"
import { openChat } from "./conversations/openChat.ts"
import type { ChatKey, ChatOpening, OpenedChat } from "./conversations/ChatOpening.ts"
import { type Edit, recordEdit } from "./conversations/recordEdit.ts"
import { optOutOfProactive } from "./conversations/optOutOfProactive.ts"
import { appendNotice, type Notice, replyInChat } from "./conversations/replyInChat.ts"
import { sessionOf } from "./conversations/sessionOf.ts"

/** The assignment of sessions to chats, and events of people and bots that are not messages. */
export class ChatSessions extends Context.Service<
  ChatSessions,
  {
    /**
     * The session of a chat. On first contact, or if a new one is requested, opens one with its lane, which starts at
     * the greeting.
     */
    readonly open: (
      meeting: ChatOpening
    ) => Effect.Effect<OpenedChat, CharacterUnavailable | QuotaReached | DatabaseError>
    /** The chat's session. Null: none. */
    readonly sessionOf: (chat: ChatKey) => Effect.Effect<string | null, DatabaseError>
    /**
     * A person's message or unblock shows that the bot may write to the chat again, unless a newer update says
     * otherwise. Its lanes continue, and the app is notified.
     */
    readonly revive: (chat: Chat, updateId: number) => Effect.Effect<void, DatabaseError>
    /**
     * The bot may no longer write to the chat, unless a newer update says otherwise. The app is notified of the
     * sessions that lose their chat.
     */
    readonly markUnreachable: (chat: Chat, shut: Unreachable) => Effect.Effect<void, DatabaseError>
    /** Posts a service reply on the log, once per key. */
    readonly notify: (appId: string, sessionId: string, notice: Notice) => Effect.Effect<void, DatabaseError>
    /**
     * Posts a service reply to a chat that may have no session. It reaches the chat over a lane all the same. Call it
     * in the transaction whose effect it reports.
     */
    readonly reply: (chat: ChatKey, notice: Notice) => Effect.Effect<void, DatabaseError>
    /**
     * The language tags of a chat, from the most important one on: of its people, then of the character. `writes`: the
     * language of Telegram of the person who writes at this moment.
     */
    readonly languages: (
      chat: ChatKey,
      writes: string | null
    ) => Effect.Effect<ReadonlyArray<string | null>, DatabaseError>
    /** Records that an accepted message of this chat was edited. */
    readonly recordEdit: (chat: ChatKey, edit: Edit) => Effect.Effect<void, DatabaseError>
    /** Stops proactive messages. */
    readonly optOutOfProactive: (appId: string, sessionId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/ChatSessions") {
  static readonly layer = Layer.effect(
    ChatSessions,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Database | Sessions | Relationships | LogSignals>())
      return ChatSessions.of({
        open: (meeting) => provide(openChat(meeting)),
        sessionOf: (chat) => provide(sessionOf(chat)),
        revive: (...args) => provide(reviveChat(...args)),
        markUnreachable: (...args) => provide(markChatUnreachable(...args)),
        notify: (...args) => provide(appendNotice(...args)).pipe(Effect.asVoid),
        reply: (...args) => provide(replyInChat(...args)),
        languages: (...args) => provide(languagesOfChat(...args)),
        recordEdit: (...args) => provide(recordEdit(...args)),
        optOutOfProactive: (...args) => provide(optOutOfProactive(...args))
      })
    })
  )
}
