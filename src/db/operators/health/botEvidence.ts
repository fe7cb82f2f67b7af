import * as Effect from "effect/Effect"
import type { BotEvidence, SuspendedBots } from "#src/health/Evidence.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { chatsOf, MOST, ofApp } from "./scope.ts"

/** Bots that are not simply working. Read through the index `telegram_bots_troubled`. */
export const botEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<BotEvidence>>(
      (sql) => sql`
      select b.app_id, b.channel_id, b.mode, b.username, b.status, b.reason, b.status_since,
        b.updates_waiting_since, b.last_in_at, c.last_success_at as last_out_at, b.health ->> 'probed_at' as probed_at,
        (b.health ->> 'pending_update_count')::int as updates_waiting,
        b.health ->> 'last_error_message' as last_error_message, ${chatsOf(sql)} as reach
      from telegram_bots b left join channels c using (app_id, channel_id)
      where (b.status in ('revoked', 'degraded', 'pending', 'suspended') or b.updates_waiting_since is not null)
        and b.status in ('revoked', 'degraded', 'pending', 'active') ${ofApp(sql, sql`b.app_id`, appId)}
      limit ${MOST}::int`
    )
  )

/** How many bots of each app its developers have suspended, and since when the first. */
export const suspendedBots = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<Omit<SuspendedBots, "since"> & { since: Date | null }>>(
      (sql) => sql`
      select b.app_id, count(*)::int as bots, min(b.status_since) as since,
        coalesce(sum(${chatsOf(sql)}), 0)::int as reach
      from telegram_bots b
      where b.status = 'suspended' ${ofApp(sql, sql`b.app_id`, appId)}
      group by b.app_id order by b.app_id limit ${MOST}::int`
    ).pipe(Effect.map((rows) => rows.map(({ since, ...row }): SuspendedBots => ({ ...row, since: since! }))))
  )
