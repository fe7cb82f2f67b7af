import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { BotRows } from "../BotRows.ts"
import { INTRODUCED_WITHIN } from "../bots/botRecords.ts"
import type { BotIdentity } from "../bots/StoredBot.ts"
import type { BotRef } from "./CreatedBot.ts"

/** Registers the bot that a request was waiting for. */
export const adoptBot = Effect.fnUntraced(function* (
  { appId, channelId }: BotRef,
  identity: BotIdentity,
  ownerId: number,
  token: Redacted.Redacted<string>
) {
  const [{ query }, rows] = [yield* Database, yield* BotRows]
  yield* rows.replaceToken(appId, channelId, token, identity)
  yield* query(
    (sql) => sql`
          update telegram_bots set owner_id =
            ${ownerId}, status = 'pending', profile_due_at = now() + ${INTRODUCED_WITHIN}::interval
          where app_id = ${appId} and channel_id = ${channelId} and status = 'awaiting_creation'`
  )
  yield* query(
    (sql) =>
      sql`update telegram_provisionings set claim_code = null
                    where app_id = ${appId} and channel_id = ${channelId}`
  )
  yield* query((sql) => sql`delete from telegram_unclaimed where user_id = ${identity.userId}`)
}, inTransaction)
