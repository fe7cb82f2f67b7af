import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { BotRef } from "./CreatedBot.ts"

/** A process that rotates a token is done after this time, or has failed. */
const ROTATED_WITHIN = "1 minute"

export const beginRotation = ({ appId, channelId }: BotRef) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set rotating_since = now(), probe_due_at = least(probe_due_at,
          now() + interval '1 minute') where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)

/** Telegram still has the old token. Unless it has just started, the rotation has failed. */
export const endRotation = ({ appId, channelId }: BotRef) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set rotating_since = null
          where app_id = ${appId} and channel_id =
            ${channelId} and rotating_since < now() - ${ROTATED_WITHIN}::interval`
    )
  ).pipe(Effect.asVoid)
