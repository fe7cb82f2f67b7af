import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"

/** A person who writes has not blocked the bot in this chat. */
export const markChatReachable = (bot: StoredBot, chatId: number, updateId: number) =>
  ChatSessions.use((chats) => chats.revive({ appId: bot.app_id, channelId: bot.channel_id, chatId }, updateId))
