import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { areDeliveriesOnHold } from "#src/db/delivery/isSuspendedByOperator.ts"
import { BotRows } from "./BotRows.ts"
import { isMoving } from "#src/db/tenancy/isSuspended.ts"
import type { StoredBot } from "./bots/StoredBot.ts"

/** Maximum number of bots that one process polls, since each holds a connection. */
const MAX_POLLED = 50

/**
 * Assigns each polled bot to one worker, because Telegram disconnects the first of two pollers. A worker's bots are
 * released when it is no longer registered. While deliveries are on hold after a restore, none is assigned: the server
 * that the backup is of may still poll it. Bots of an app that is moving to another cell are not polled here either.
 */
export class PolledBots extends Context.Service<
  PolledBots,
  {
    /** The bots that this worker polls now, after claiming unassigned ones. */
    readonly claim: (worker: string) => Effect.Effect<ReadonlyArray<StoredBot>, DatabaseError>
    /** Whether the bot is still assigned to this worker, with this token. */
    readonly holds: (bot: StoredBot, worker: string) => Effect.Effect<boolean, DatabaseError>
    /** Whether the manager bot is assigned to this worker. */
    readonly holdsManager: (worker: string) => Effect.Effect<boolean, DatabaseError>
    readonly release: (worker: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/PolledBots") {
  static readonly layer = Layer.effect(
    PolledBots,
    Effect.gen(function* () {
      const { query } = yield* Database
      const rows = yield* BotRows
      return PolledBots.of({
        claim: Effect.fnUntraced(function* (worker) {
          const mine = yield* query<Array<{ app_id: string; channel_id: string }>>(
            (sql) => sql`
          with me as (
            select worker_id from workers where worker_id = ${worker} for key share
          ), free as (
            select b.app_id, b.channel_id from telegram_bots b, me
            where b.status in ('active', 'degraded', 'suspended') and not (${areDeliveriesOnHold(sql)})
              and not (${isMoving(sql, sql`b.app_id`)}) and (b.poller is null or not exists (select
              from workers w where w.worker_id = b.poller))
            limit greatest(0, ${MAX_POLLED}::int - (select count(*)::int from telegram_bots
              where poller = ${worker})) for update of b skip locked
          ), taken as (
            update telegram_bots b set poller =
              ${worker} from free f where b.app_id = f.app_id and b.channel_id = f.channel_id returning b.app_id,
                b.channel_id
          )
          select app_id, channel_id from taken
          union select app_id, channel_id from telegram_bots
            where poller = ${worker} and status in ('active', 'degraded', 'suspended')
              and not (${isMoving(sql, sql`app_id`)})`
          )
          const bots = yield* Effect.forEach(mine, ({ app_id, channel_id }) => rows.get(app_id, channel_id))
          return bots.filter((bot) => bot !== undefined)
        }),
        holds: (bot, worker) =>
          query(
            (sql) => sql`
        select 1 from telegram_bots where app_id =
          ${bot.app_id} and channel_id =
            ${bot.channel_id} and poller = ${worker} and token_version = ${bot.token_version}
          and status in ('active', 'degraded', 'suspended') and not (${isMoving(sql, sql`app_id`)})`
          ).pipe(Effect.map((found) => found.length > 0)),
        holdsManager: (worker) =>
          query(
            (sql) => sql`
        update telegram_manager m set poller = ${worker} from workers me
        where me.worker_id = ${worker} and not (${areDeliveriesOnHold(sql)}) and (m.poller is null
          or m.poller = ${worker} or not exists (select from workers w where w.worker_id = m.poller))
        returning 1`
          ).pipe(Effect.map((found) => found.length > 0)),
        release: Effect.fnUntraced(function* (worker) {
          yield* query((sql) => sql`update telegram_bots set poller = null where poller = ${worker}`)
          yield* query((sql) => sql`update telegram_manager set poller = null where poller = ${worker}`)
        })
      })
    })
  )
}
