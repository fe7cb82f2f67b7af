import * as Effect from "effect/Effect"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { isAddressed, readMessages } from "#channels/telegram/readMessage.ts"
import { TelegramChats } from "#channels/telegram/TelegramChats.ts"
import { type Member, type Message, readUpdate } from "#channels/telegram/Update.ts"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { Inbox } from "#pipeline/Inbox.ts"
import { BotRows, type StoredBot } from "#src/db/telegram/BotRows.ts"
import { Conversations } from "#src/db/telegram/Conversations.ts"
import type { Batch } from "#src/db/telegram/Updates.ts"
import { handleCommand } from "./handleCommand.ts"
import { meetingOf } from "./meetingOf.ts"
import { welcome } from "./welcome.ts"

const GONE: ReadonlySet<string> = new Set(["left", "kicked"])

/** Messages that came in quick succession are one turn, handed in as a REST send is; its key is that of the first. */
const handleText = Effect.fnUntraced(function*(bot: StoredBot, batch: Batch, messages: ReadonlyArray<Message>) {
  const addressee = { userId: bot.user_id ?? 0, username: bot.username ?? "" }
  const [first] = messages
  if (first === undefined || !messages.some((message) => isAddressed(message, addressee))) return
  const text = readMessages(messages, addressee)
  if (text === null) return
  const conversations = yield* Conversations
  const { sessionId, status } = yield* conversations.meet(meetingOf(bot, first, "keep"))
  yield* welcome(bot, first.chat.id, batch.at(-1)?.update_id ?? 0)
  // The character has left, and has said so.
  if (status !== "active") return
  const key = `tg:${bot.channel_id}:${batch[0].batch}`
  yield* Inbox.use((inbox) => inbox.accept({ appId: bot.app_id, sessionId, text, replyMode: "fast", clientMessageId: key, source: "telegram" })).pipe(
    Effect.asVoid,
    Effect.catchTag("Refused", ({ reason }) => reason === "session_exited" || reason === "session_not_found" ? Effect.void : Effect.gen(function*() {
      // A number that no event has: the line is for a message that is on no log.
      const line = yield* TelegramChats.use((chats) => chats.apology({ appId: bot.app_id, channelId: bot.channel_id, sessionId }, -batch[0].batch))
      if (line !== null) yield* conversations.notify(bot.app_id, sessionId, { key, kind: reason, text: line })
    }))
  )
})

const handleMember = Effect.fnUntraced(function*(bot: StoredBot, updateId: number, { chat, new_chat_member: { status } }: Member) {
  if (!GONE.has(status)) return yield* welcome(bot, chat.id, updateId)
  const state = chat.type === "private" ? "blocked" as const : "unreachable" as const
  const lost = yield* Conversations.use((conversations) => conversations.shut({ appId: bot.app_id, channelId: bot.channel_id, chatId: chat.id }, state, updateId))
  const operations = yield* OperationalLog
  for (const sessionId of lost) {
    yield* operations.append({ appId: bot.app_id, type: state === "blocked" ? "chat.blocked" : "chat.unreachable", payload: { channel_id: bot.channel_id, session_id: sessionId, reason: status } })
  }
})

/** What the updates of one chat that belong together lead to. */
export const handleBatch = Effect.fnUntraced(function*(batch: Batch) {
  const { app_id: appId, channel_id: channelId } = batch[0]
  const bot = yield* BotRows.use((rows) => rows.get(appId, channelId))
  const updates = batch.map(({ raw }) => readUpdate(raw))
  const [update] = updates
  if (bot === undefined || update === undefined) return
  switch (batch[0].kind) {
    case "text":
      return yield* handleText(bot, batch, updates.flatMap((each) => each?.message ?? []))
    case "command":
      if (update.message !== undefined) yield* handleCommand(bot, batch, update.message)
      return
    case "member":
      if (update.my_chat_member !== undefined) yield* handleMember(bot, update.update_id, update.my_chat_member)
      return
    case "callback": {
      const token = yield* Effect.orDie(BotRows.use((rows) => rows.token(bot)))
      const id = update.callback_query?.id
      // The person's button stops spinning; one that is too old to be answered does no harm.
      if (token !== undefined && id !== undefined) yield* Effect.ignore(BotApi.use((api) => api.call(token, "answerCallbackQuery", { callback_query_id: id })))
      return
    }
    case "service": {
      const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = update.message ?? { chat: { id: 0 } }
      const chats = yield* TelegramChats
      yield* chats.migrate({ appId, channelId, sessionId: "" }, from ?? chat.id, to ?? chat.id)
    }
  }
})

