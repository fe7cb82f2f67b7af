import * as Effect from "effect/Effect"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { BotApi } from "#channels/telegram/BotApi.ts"
import { LINES } from "#channels/telegram/lines.ts"
import { RollingLimits } from "#src/db/RollingLimits.ts"
import type { CharacterUnavailable } from "#src/db/Sessions.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { ClaimedUpdate } from "#src/db/telegram/Updates.ts"

/** However many people write to the bot, its app is told so often and no more. */
const TELLING = { most: 1, windowSeconds: 3600 }

/**
 * Whoever writes to a character that is not to be talked to hears so, and where its author can mend that, the app is told why nobody can.
 * There is no session, so it goes to the chat directly.
 */
export const turnAway = Effect.fnUntraced(function*({ app_id: appId, channel_id: channelId, chat_id: chatId }: ClaimedUpdate, reason: CharacterUnavailable["reason"]) {
  const rows = yield* BotRows
  const bot = yield* rows.get(appId, channelId)
  if (bot === undefined) return
  const token = yield* Effect.orDie(rows.token(bot))
  const text = reason === "not_ready" ? LINES.nobodyHere : LINES.left
  if (token !== undefined) yield* Effect.ignore(BotApi.use((api) => api.call(token, "sendMessage", { chat_id: chatId, text })))
  if (reason !== "not_ready") return
  const { taken } = yield* RollingLimits.use((limits) => limits.take({ kind: "character_not_ready", subject: channelId, ...TELLING }))
  if (taken) yield* OperationalLog.use((log) => log.append({ appId, type: "character.not_ready", payload: { channel_id: channelId, character_slug: bot.character_slug } }))
})
