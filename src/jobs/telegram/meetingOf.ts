import { refOf } from "#channels/telegram/readMessage.ts"
import { type Message, threadOf } from "#channels/telegram/Update.ts"
import type { StoredBot } from "#src/db/telegram/BotRows.ts"
import type { Meeting } from "#src/db/telegram/Conversations.ts"

/** The chat of a message as the place of a session. In a group nobody in particular is talked to. */
export const meetingOf = (bot: StoredBot, message: Message, session: Meeting["session"]): Meeting => {
  const isPrivate = message.chat.type === "private"
  return {
    appId: bot.app_id,
    channelId: bot.channel_id,
    chatId: message.chat.id,
    threadId: threadOf(message),
    kind: isPrivate ? "private" : message.chat.type === "supergroup" ? "supergroup" : "group",
    characterSlug: bot.character_slug,
    externalUserRef: refOf(message.chat.id),
    displayName: isPrivate ? message.from?.first_name.toWellFormed().replaceAll("\0", "").slice(0, 80) || null : null,
    locale: isPrivate ? message.from?.language_code ?? null : null,
    startPayload: null,
    session
  }
}
