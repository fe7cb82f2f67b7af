import * as Effect from "effect/Effect"
import { OperationalLog } from "#channels/OperationalLog.ts"
import type { StoredBot } from "#src/db/telegram/BotRows.ts"
import { Conversations } from "#src/db/telegram/Conversations.ts"

/** A person has written: by that the bot is welcome in the chat. */
export const welcome = Effect.fnUntraced(function*(bot: StoredBot, chatId: number, updateId: number) {
  const back = yield* Conversations.use((conversations) => conversations.revive({ appId: bot.app_id, channelId: bot.channel_id, chatId }, updateId))
  const operations = yield* OperationalLog
  for (const sessionId of back) yield* operations.append({ appId: bot.app_id, type: "chat.unblocked", payload: { channel_id: bot.channel_id, session_id: sessionId } })
})
