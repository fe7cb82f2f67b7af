import * as Effect from "effect/Effect"
import { areDeliveriesOnHold, isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { isMoving } from "#src/db/tenancy/isSuspended.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { requeueUpdates } from "../resumeBots.ts"
import { WALKED } from "./botStatus.ts"
import { botColumns } from "./readBots.ts"
import type { BotHealth, StoredBot } from "./StoredBot.ts"

/** How many bots a process claims for probes at a time, so that other processes get some, too. */
const PROBES_PER_ROUND = 40

/**
 * `updatesWaiting`: how many updates Telegram has for the bot, or null if it was not asked. Since when they wait is
 * kept for as long as none arrives. While a bot has parked updates, newer ones are not handled. If nothing else resumes
 * parked updates, a probe does.
 */
export const recordProbe = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  health: BotHealth,
  updatesWaiting: number | null,
  nextInSeconds: number
) {
  const { query } = yield* Database
  const [noted] = yield* query<Array<{ left: boolean }>>(
    (sql) => sql`
          update telegram_bots b set health =
            ${JSON.stringify(health)}::text::jsonb,
              probe_due_at = now() + ${nextInSeconds}::float8 * interval '1 second',
              updates_waiting_since = case
                when ${updatesWaiting}::int is null then updates_waiting_since
                when ${updatesWaiting}::int = 0 then null
                when updates_waiting_since > last_in_at or last_in_at is null
                  then coalesce(updates_waiting_since, now())
                else now() end
          where app_id = ${appId} and channel_id = ${channelId}
          returning b.status = any(${[...WALKED]}::text[]) and not (${isSuspendedByOperator(sql, sql`b.app_id`)})
            and exists (
            select from telegram_updates a where a.app_id = b.app_id and a.channel_id = b.channel_id
              and a.done_at is null and a.due_at = 'infinity' offset 0) as left`
  )
  if (noted?.left === true) yield* requeueUpdates([{ app_id: appId, channel_id: channelId }])
}, inTransaction)

/** Records that another program polls the bot. It has to be seen well again from here on. */
export const recordConflict = Effect.fnUntraced(function* (appId: string, channelId: string, at: Date) {
  const { query } = yield* Database
  const conflict: BotHealth = { conflict_at: at.toISOString(), good_probes: 0 }
  yield* query(
    (sql) => sql`
          update telegram_bots set health = health || ${JSON.stringify(conflict)}::text::jsonb
          where app_id = ${appId} and channel_id = ${channelId}`
  )
})

/**
 * Leases bots that are due for a probe, for one minute. After a restore there are none until deliveries are resumed,
 * because a probe sets the webhook again, and another server may still use it. The bots of an app that is moving to
 * another cell are not probed here either.
 */
export const dueProbes = Database.use(({ query }) =>
  query<Array<StoredBot>>(
    (sql) => sql`
        update telegram_bots b set probe_due_at = now() + interval '1 minute' from (
          select app_id as app, channel_id as channel from telegram_bots
          where probe_due_at <= now() and not (${areDeliveriesOnHold(sql)}) and not (${isMoving(sql, sql`app_id`)})
            and (status in ('active', 'degraded', 'pending') or (status = 'revoked'
            and mode = 'managed')) and token is not null order by probe_due_at
              limit ${PROBES_PER_ROUND} for update skip locked
        ) d where b.app_id = d.app and b.channel_id = d.channel returning ${botColumns(sql)}`
  )
)
