import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { Conversations } from "#src/db/telegram/ChatSessions.ts"

/** A person who writes has not blocked the bot in this chat. */
export const welcome = (bot: StoredBot, chatId: number, updateId: number) =>
  Conversations.use((conversations) =>
    conversations.revive({ appId: bot.app_id, channelId: bot.channel_id, chatId }, updateId)
  )
