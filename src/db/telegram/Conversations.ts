import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { CharacterUnavailable, Sessions } from "#src/db/conversation/Sessions.ts"
import type { Relationships } from "#src/db/memory/Relationships.ts"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { QuotaReached } from "#src/db/tenancy/quotas.ts"
import { appendOnce } from "./conversations/appendOnce.ts"
import { type Chat, reviveChat, type Shut, shutChat } from "./conversations/chatStatus.ts"
import { meet } from "./conversations/meet.ts"
import type { ChatKey, Meeting, Met } from "./conversations/Meeting.ts"
import { type Edit, noteEdit } from "./conversations/noteEdit.ts"
import { quieten } from "./conversations/quieten.ts"
import { sessionOf } from "./conversations/sessionOf.ts"

/** Which session is held in which chat, and what people and bots are told apart from what is said. */
export class Conversations extends Context.Service<
  Conversations,
  {
    /**
     * The session of a chat; on first contact, or where another is wanted, a new one with its lane, from its greeting
     * on.
     */
    readonly meet: (meeting: Meeting) => Effect.Effect<Met, CharacterUnavailable | QuotaReached | DatabaseError>
    /** The session that is held there; null: none. */
    readonly sessionOf: (chat: ChatKey) => Effect.Effect<string | null, DatabaseError>
    /**
     * Word from the chat: by it the bot is welcome there again, unless younger word says otherwise. Its lanes go on,
     * and the app is told.
     */
    readonly revive: (chat: Chat, updateId: number) => Effect.Effect<void, DatabaseError>
    /**
     * The bot is not welcome any more, unless younger word from the chat says otherwise. The app is told of the
     * sessions that lose their chat.
     */
    readonly shut: (chat: Chat, shut: Shut) => Effect.Effect<void, DatabaseError>
    /** Puts a line that is not the character's on the log, once for each key. */
    readonly notify: (
      appId: string,
      sessionId: string,
      notice: { readonly key: string; readonly kind: string; readonly text: string }
    ) => Effect.Effect<void, DatabaseError>
    /** Notes that a message of this chat, which has been handed in, reads otherwise by now. */
    readonly noteEdit: (chat: ChatKey, edit: Edit) => Effect.Effect<void, DatabaseError>
    /** No more messages of the character's own accord. */
    readonly quieten: (appId: string, sessionId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Conversations") {
  static readonly layer = Layer.effect(
    Conversations,
    Effect.gen(function* () {
      const within = Effect.provideContext(yield* Effect.context<Database | Sessions | Relationships | LogSignals>())
      return Conversations.of({
        meet: (meeting) => within(meet(meeting)),
        sessionOf: (chat) => within(sessionOf(chat)),
        revive: (...args) => within(reviveChat(...args)),
        shut: (...args) => within(shutChat(...args)),
        notify: (appId, sessionId, { key, kind, text }) =>
          within(
            appendOnce(appId, sessionId, { key, type: "channel.notice", role: "system", payload: { kind, text } })
          ).pipe(Effect.asVoid),
        noteEdit: (...args) => within(noteEdit(...args)),
        quieten: (...args) => within(quieten(...args))
      })
    })
  )
}
