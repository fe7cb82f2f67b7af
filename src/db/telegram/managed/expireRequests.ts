import * as Effect from "effect/Effect"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { BotRows } from "../BotRows.ts"
import type { BotRef } from "./CreatedBot.ts"

/** After this time without a token, registering a bot is given up. */
const ONBOARDED_WITHIN = "6 hours"

const isOver = (
  sql: Sql
) => sql`p.expires_at < now() and (p.matched_at is null or (p.matched_at < now() - ${ONBOARDED_WITHIN}::interval
      and exists (select from telegram_bots b where b.app_id = p.app_id and b.channel_id = p.channel_id
        and b.status = 'awaiting_creation')))`

const expireOne = Effect.fnUntraced(function* ({ appId, channelId }: BotRef) {
  const [{ query }, rows] = [yield* Database, yield* BotRows]
  const over = yield* query(
    (sql) => sql`
        delete from telegram_provisionings p
          where p.app_id = ${appId} and p.channel_id = ${channelId} and ${isOver(sql)} returning 1`
  )
  if (over.length > 0) yield* rows.detach(appId, channelId, "link_expired")
}, inTransaction)

const forgetNames = Database.use(({ query }) =>
  query((sql) => sql`delete from telegram_names where held_until < now()`)
)

/** Ends expired requests, and the bots that will not be created. */
export const expireRequests = Database.use(({ query }) =>
  query<Array<BotRef>>(
    (sql) => sql`
      select p.app_id as "appId", p.channel_id as "channelId" from telegram_provisionings p where ${isOver(sql)}`
  )
).pipe(
  Effect.flatMap((over) => Effect.forEach(over, expireOne, { discard: true })),
  Effect.andThen(forgetNames),
  Effect.asVoid
)
