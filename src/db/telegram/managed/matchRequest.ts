import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import type { BotRef, CreatedBot } from "./CreatedBot.ts"

const matched = (userId: number) =>
  Database.use(({ query }) =>
    query<Array<BotRef>>(
      (sql) => sql`
      select app_id as "appId", channel_id as "channelId" from telegram_provisionings
        where user_id = ${userId} order by matched_at desc limit 1`
    ).pipe(Effect.map(([row]) => row))
  )

/**
 * The request that the new bot belongs to: the one whose link has its random name, or the only one that its creator has
 * claimed. Otherwise it is kept unclaimed.
 */
export const matchRequest = Effect.fnUntraced(function* ({ userId, username, ownerId }: CreatedBot) {
  const { query } = yield* Database
  // A process that died after matching the request and before registering the bot finds it again.
  const found = yield* matched(userId)
  if (found !== undefined) return found
  // A username that an app has chosen does not prove which link was used, because a person may choose the same one. A
  // random name is only known from its link.
  const [claimed] = yield* query<Array<BotRef>>(
    (sql) => sql`
        with open as (
          select app_id, channel_id, case when named and is_random then 1 when named then 2 else 3 end as rank
          from telegram_provisionings, lateral (select lower(suggested_username) = lower(${username}) as named) n
          where matched_at is null and expires_at > now() and coalesce(claimed_by,
            ${ownerId}) = ${ownerId} and (claimed_by is not null or (named and is_random))
        ), best as (
          select rank from open group by rank having count(*) = 1 and rank = (select min(rank) from open)
        )
        update telegram_provisionings p set matched_at = now(), user_id = ${userId} from open o join best using (rank)
        where p.app_id = o.app_id and p.channel_id = o.channel_id and p.matched_at is null
        returning p.app_id as "appId", p.channel_id as "channelId"`
  )
  // Another process may have received the same update.
  const ref = claimed ?? (yield* matched(userId))
  // People keep writing to a bot that an app has detached, so it is not assigned to another request.
  if (ref === undefined) {
    yield* query(
      (sql) => sql`
          insert into telegram_unclaimed (user_id, username, owner_id)
            select ${userId}, ${username},
              ${ownerId} where not exists (select from telegram_bots where user_id = ${userId})
          on conflict (user_id) do update set username = excluded.username, owner_id = excluded.owner_id`
    )
  }
  return ref
}, inTransaction)
