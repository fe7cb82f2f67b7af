import { nameOf, refOf } from "#channels/telegram/readMessage.ts"
import { type Message, threadOf } from "#channels/telegram/Update.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import type { ChatOpening } from "#src/db/telegram/conversations/ChatOpening.ts"

/** The possible form of a language tag. */
const LOCALE = /^[A-Za-z0-9-]{2,35}$/

/** The session context of a message's chat. In a group there is no single person to talk to. */
export const chatOpeningOf = (bot: StoredBot, message: Message, session: ChatOpening["session"]): ChatOpening => {
  const isPrivate = message.chat.type === "private"
  const language = LOCALE.exec(message.from?.language_code ?? "")?.[0] ?? null
  return {
    appId: bot.app_id,
    channelId: bot.channel_id,
    chatId: message.chat.id,
    threadId: threadOf(message),
    kind: isPrivate ? "private" : message.chat.type === "supergroup" ? "supergroup" : "group",
    characterSlug: bot.character_slug,
    externalUserRef: refOf(message.chat.id),
    displayName: isPrivate ? nameOf(message.from) || null : null,
    locale: isPrivate ? language : null,
    language,
    startPayload: null,
    session
  }
}
