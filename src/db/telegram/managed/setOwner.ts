import * as Effect from "effect/Effect"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { BotRows } from "../BotRows.ts"
import type { BotRef } from "./CreatedBot.ts"

/** The bot has a new owner. The app is notified, and the bot is suspended until the app decides whether to continue. */
export const setOwner = Effect.fnUntraced(function* ({ appId, channelId }: BotRef, ownerId: number) {
  const [{ query }, rows] = [yield* Database, yield* BotRows]
  // Serializes concurrent calls, so that it happens once.
  yield* query((sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`)
  const changed = yield* query(
    (sql) =>
      sql`update telegram_bots set owner_id =
                  ${ownerId} where app_id = ${appId}
                    and channel_id = ${channelId} and owner_id is distinct from ${ownerId} returning 1`
  )
  if (changed.length === 0) return
  yield* rows.changeStatus(appId, channelId, {
    status: "suspended",
    reason: "owner_changed",
    from: ["pending", "active", "degraded", "revoked"],
    event: null
  })
  yield* appendOperational({ appId, type: "bot.owner_changed", payload: { bot_id: channelId } })
}, inTransaction)
