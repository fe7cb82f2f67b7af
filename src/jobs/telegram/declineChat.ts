import * as Effect from "effect/Effect"
import { readUpdate } from "#channels/telegram/Update.ts"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import type { CharacterUnavailable } from "#src/db/conversation/Sessions.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { type Batch, Updates } from "#src/db/telegram/Updates.ts"
import { ChatSessions } from "#src/db/telegram/ChatSessions.ts"
import { markChatReachable } from "./markChatReachable.ts"

/** The app gets at most this many notifications, however many people write to the bot. */
const NOTICE_LIMIT = { most: 1, windowSeconds: 3600 }

/** Tells people that a character is unavailable. If its author can fix the cause, notifies the app of the reason. */
export const declineChat = Effect.fnUntraced(function* (batch: Batch, reason: CharacterUnavailable["reason"]) {
  const [{ app_id: appId, channel_id: channelId, chat_id: chatId, thread_id: threadId, update_id, raw }] = batch
  const chat = { appId, channelId, chatId, threadId }
  const { transaction } = yield* Database
  const bot = yield* BotRows.use((rows) => rows.get(appId, channelId))
  if (bot !== undefined) yield* markChatReachable(bot, chatId, update_id)
  yield* transaction(
    Effect.gen(function* () {
      const isFirst = yield* Updates.use((updates) => updates.done(batch))
      if (!isFirst || bot === undefined) return
      const { message, callback_query: callback } = readUpdate(raw) ?? {}
      const language = (message ?? callback)?.from?.language_code ?? null
      const tags = yield* ChatSessions.use((chats) => chats.languages(chat, language))
      const texts = textsFor(tags, yield* OwnTexts)
      const notice = {
        key: `tg:${channelId}:${update_id}`,
        kind: "unavailable",
        text: reason === "not_ready" ? texts.not_ready : texts.gone
      }
      yield* ChatSessions.use((chats) => chats.reply(chat, notice))
      if (reason !== "not_ready") return
      const { taken } = yield* RollingLimits.use((limits) =>
        limits.take({ kind: "character_not_ready", subject: channelId, ...NOTICE_LIMIT })
      )
      if (taken)
        yield* appendOperational({
          appId,
          type: "character.not_ready",
          payload: { channel_id: channelId, character_slug: bot.character_slug }
        })
    })
  )
})
