import * as Effect from "effect/Effect"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { type Addressee, isAddressed, readMessages, readPress, type Said } from "#channels/telegram/readMessage.ts"
import { TelegramChats } from "#channels/telegram/TelegramChats.ts"
import {
  type Callback,
  type Member,
  type Message,
  readUpdate,
  threadOf,
  type Update
} from "#channels/telegram/Update.ts"
import { Inbox, InboxUnavailable } from "#pipeline/Inbox.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import type { OpenedChat } from "#src/db/telegram/conversations/ChatOpening.ts"
import { type Batch, Updates } from "#src/db/telegram/Updates.ts"
import { Turns } from "#src/db/conversation/Turns.ts"
import { handleCommand } from "./handleCommand.ts"
import { transcribeVoices } from "./transcribeVoices.ts"
import { relayPayment } from "./relayPayment.ts"
import { chatOpeningOf } from "./chatOpeningOf.ts"
import { markChatReachable } from "./markChatReachable.ts"

const GONE: ReadonlySet<string> = new Set(["left", "kicked"])

const addresseeOf = (bot: StoredBot): Addressee => ({ userId: bot.user_id ?? 0, username: bot.username ?? "" })

/**
 * Accepts a person's message in the same way as a REST request. If it is refused, the person gets a line of the
 * character and no reason.
 */
const acceptMessages = Effect.fnUntraced(function* (
  bot: StoredBot,
  { sessionId, status }: OpenedChat,
  said: Said,
  number: number
) {
  // The character has left, and has said so.
  if (status !== "active") return
  const chats = yield* ChatSessions
  const key = `tg:${bot.channel_id}:${number}`
  yield* Inbox.use((inbox) =>
    inbox.accept({ ...said, appId: bot.app_id, sessionId, replyMode: "fast", clientMessageId: key, source: "telegram" })
  ).pipe(
    Effect.asVoid,
    Effect.catchTag("Refused", ({ reason }) =>
      reason === "session_exited" || reason === "end_user_blocked"
        ? Effect.void
        : Effect.gen(function* () {
            // The session was just erased or replaced, so the chat has to get a new one.
            if (reason === "session_not_found") return yield* new InboxUnavailable({ cause: reason })
            // A cursor that no event has, because the line replies to a message that is not on the log.
            const line = yield* TelegramChats.use((chats) =>
              chats.apology({ appId: bot.app_id, channelId: bot.channel_id, sessionId }, -number)
            )
            if (line !== null) yield* chats.notify(bot.app_id, sessionId, { key, kind: reason, text: line })
          })
    )
  )
})

/** The person no longer wants an answer to their last message. */
const handleStop = Effect.fnUntraced(function* (bot: StoredBot, chatId: number, threadId: number) {
  const sessionId = yield* ChatSessions.use((chats) =>
    chats.sessionOf({ appId: bot.app_id, channelId: bot.channel_id, chatId, threadId })
  )
  if (sessionId !== null) yield* Turns.use((turns) => turns.stop({ appId: bot.app_id, sessionId }))
})

/** The messages of a batch with their edits applied, and edits of earlier messages. */
const withEdits = (updates: ReadonlyArray<Update>) => {
  const messages = updates.flatMap(({ message }) => message ?? [])
  const edits = updates.flatMap(({ edited_message }) => edited_message ?? [])
  const isOf = (message: Message) => (edit: Message) => edit.message_id === message.message_id
  return {
    messages: messages.map((message) => edits.findLast(isOf(message)) ?? message),
    edits: edits.filter((edit) => !messages.some((message) => isOf(message)(edit)))
  }
}

/** An edit after the answer is not a new message. The log records the new text. */
const handleEdit = Effect.fnUntraced(function* (bot: StoredBot, updateId: number, edit: Message) {
  const addressee = addresseeOf(bot)
  const said = readMessages([edit], addressee)
  if (said === null) return
  const chat = { appId: bot.app_id, channelId: bot.channel_id, chatId: edit.chat.id, threadId: threadOf(edit) }
  const messageId = edit.message_id
  const textIn = (updates: ReadonlyArray<unknown>) => {
    const { messages } = withEdits(updates.flatMap((raw) => readUpdate(raw) ?? []))
    const message = messages.find(({ message_id }) => message_id === messageId)
    return message === undefined ? null : (readMessages([message], addressee)?.text ?? null)
  }
  yield* ChatSessions.use((chats) => chats.recordEdit(chat, { updateId, messageId, text: said.text, textIn }))
})

/** Messages in quick succession become one turn, under the key of the first. */
const handleText = Effect.fnUntraced(function* (bot: StoredBot, batch: Batch, updates: ReadonlyArray<Update>) {
  const addressee = addresseeOf(bot)
  const { messages, edits } = withEdits(updates)
  const updateId = batch.at(-1)?.update_id ?? 0
  for (const edit of edits) yield* handleEdit(bot, updateId, edit)
  const [first] = messages
  if (
    first === undefined ||
    !messages.some((message) => isAddressed(message, addressee)) ||
    readMessages(messages, addressee) === null
  )
    return
  const opened = yield* ChatSessions.use((chats) => chats.open(chatOpeningOf(bot, first, "keep")))
  yield* markChatReachable(bot, first.chat.id, updateId)
  const heard = opened.status === "active" ? yield* transcribeVoices(bot, opened.sessionId, messages) : undefined
  const said = readMessages(messages, addressee, heard)
  if (said !== null) yield* acceptMessages(bot, opened, said, batch[0].batch)
})

/**
 * Handles a press of an inline button: stops its progress animation at once, and treats the button's label as a
 * message.
 */
const handlePress = Effect.fnUntraced(function* (bot: StoredBot, updateId: number, callback: Callback) {
  const token = yield* Effect.orDie(BotRows.use((rows) => rows.token(bot)))
  // It is harmless if the press is too old to be answered.
  if (token !== undefined)
    yield* Effect.ignore(
      BotApi.use((api) => api.call(token, "answerCallbackQuery", { callback_query_id: callback.id }))
    )
  const label = readPress(callback)
  if (label === undefined || callback.message === undefined) return
  const pressed = {
    message_id: callback.message.message_id,
    chat: callback.message.chat,
    from: callback.from,
    text: label
  }
  const said = readMessages([pressed], addresseeOf(bot))
  if (said === null) return
  const { message_thread_id, is_topic_message } = callback.message
  const chatKey = {
    ...pressed,
    ...(is_topic_message !== undefined && { is_topic_message }),
    ...(message_thread_id !== undefined && { message_thread_id })
  }
  const opened = yield* ChatSessions.use((chats) => chats.open(chatOpeningOf(bot, chatKey, "keep")))
  yield* markChatReachable(bot, pressed.chat.id, updateId)
  yield* acceptMessages(bot, opened, said, updateId)
})

const handleMember = Effect.fnUntraced(function* (
  bot: StoredBot,
  updateId: number,
  { chat, new_chat_member: { status } }: Member
) {
  if (!GONE.has(status)) return yield* markChatReachable(bot, chat.id, updateId)
  const state = chat.type === "private" ? ("blocked" as const) : ("unreachable" as const)
  yield* ChatSessions.use((chats) =>
    chats.markUnreachable(
      { appId: bot.app_id, channelId: bot.channel_id, chatId: chat.id },
      { status: state, reason: status, updateId }
    )
  )
})

const handle = Effect.fnUntraced(function* (bot: StoredBot, batch: Batch, update: Update) {
  const { app_id: appId, channel_id: channelId } = bot
  switch (batch[0].kind) {
    case "text":
      return yield* handleText(
        bot,
        batch,
        batch.flatMap(({ raw }) => readUpdate(raw) ?? [])
      )
    case "edit":
      if (update.edited_message !== undefined) yield* handleEdit(bot, update.update_id, update.edited_message)
      return
    case "member":
      if (update.my_chat_member !== undefined) yield* handleMember(bot, update.update_id, update.my_chat_member)
      return
    case "stop":
      return yield* handleStop(bot, batch[0].chat_id, update.stopped_message_generation?.message_thread_id ?? 0)
    case "callback":
      if (update.callback_query !== undefined) yield* handlePress(bot, update.update_id, update.callback_query)
      return
    case "service": {
      const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = update.message ?? { chat: { id: 0 } }
      const chats = yield* TelegramChats
      yield* chats.migrate({ appId, channelId, sessionId: "" }, from ?? chat.id, to ?? chat.id)
    }
  }
})

/** Handles updates of one chat that belong together, and marks them as done. */
export const handleBatch = Effect.fnUntraced(function* (batch: Batch) {
  const { app_id: appId, channel_id: channelId, kind, raw } = batch[0]
  const bot = yield* BotRows.use((rows) => rows.get(appId, channelId))
  const update = readUpdate(raw)
  if (bot !== undefined && kind === "command" && update?.message !== undefined)
    return yield* handleCommand(bot, batch, update.message)
  if (bot !== undefined && kind === "payment" && update !== undefined) return yield* relayPayment(bot, batch, update)
  if (bot !== undefined && update !== undefined) yield* handle(bot, batch, update)
  yield* Updates.use(({ done }) => done(batch))
})
