import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import type { BotHealth, BotStatus } from "#src/db/telegram/bots/StoredBot.ts"
import { type BotFilter, inboundLag, lastOut, matchesBot, outboundLag, outOf } from "./botFilter.ts"
import { microseconds, type PageOf, timeOf } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

export const BOT_SORTS = ["worst", "last_in", "last_out", "newest"] as const
export type BotSort = (typeof BOT_SORTS)[number]

export interface FleetBot {
  readonly app_id: string
  readonly app_name: string
  readonly bot_id: string
  readonly mode: "byo" | "managed"
  readonly character_slug: string
  readonly username: string | null
  readonly status: BotStatus
  readonly reason: string | null
  /** The operator has suspended its app, or the bots of its app or of all apps. */
  readonly held: boolean
  readonly last_in_at: Date | null
  readonly last_out_at: Date | null
  /** Seconds that the oldest message has waited to be sent, or the oldest update to be answered. Null: none waits. */
  readonly outbound_lag: number | null
  readonly inbound_lag: number | null
  readonly failing_since: Date | null
  /** Attempts in a row at sending that did not succeed. */
  readonly consecutive_failures: number
  readonly health: BotHealth
  readonly token_hint: string | null
  readonly webhook_set_at: Date | null
  readonly created_at: Date
  readonly position: number
}

/** A bot that an action on a filter would reach. */
export type SelectedBot = Pick<FleetBot, "app_id" | "app_name" | "bot_id" | "username" | "status">

/** What a filter selects. */
export interface BotSelection {
  readonly bots: number
  readonly apps: number
  /** By status. */
  readonly statuses: Readonly<Partial<Record<BotStatus, number>>>
  /** The first of them, worst first. */
  readonly sample: ReadonlyArray<SelectedBot>
}

/** Bots named in a preview. */
const SAMPLE = 20

const source = (sql: Sql) => sql`
  from telegram_bots b join channels c using (app_id, channel_id) join apps a using (app_id)`

/** Telegram bots of all apps. */
export class FleetBots extends Context.Service<
  FleetBots,
  {
    /** By status, the worst first; or those first that have been silent the longest; or the newest. */
    readonly list: (
      filter: BotFilter,
      sort: BotSort,
      page: PageOf
    ) => Effect.Effect<ReadonlyArray<FleetBot>, DatabaseError>
    readonly get: (botId: string) => Effect.Effect<FleetBot | undefined, DatabaseError>
    readonly count: (filter: BotFilter) => Effect.Effect<Total, DatabaseError>
    /** What these bots are called in Telegram, by id. Those without a name yet are left out. */
    readonly names: (botIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, DatabaseError>
    /** Counts at most `most` bots and one more. */
    readonly select: (filter: BotFilter, most: number) => Effect.Effect<BotSelection, DatabaseError>
  }
>()("src/db/operators/FleetBots") {
  static readonly layer = Layer.effect(
    FleetBots,
    Effect.gen(function* () {
      const { query } = yield* Database

      const columns = (sql: Sql) => sql`
        b.app_id, a.name as app_name, b.channel_id as bot_id, b.mode, b.character_slug, b.username, b.status, b.reason,
        ${isSuspendedByOperator(sql, sql`b.app_id`)} as held, b.last_in_at, c.last_success_at as last_out_at,
        ${outboundLag(sql)} as outbound_lag, ${inboundLag(sql)} as inbound_lag, c.failing_since,
        c.consecutive_failures, b.health, b.token_hint, b.webhook_set_at, b.created_at`

      const list = (filter: BotFilter, sort: BotSort, { after, limit }: PageOf) =>
        query<Array<FleetBot>>((sql) => {
          // All bots are compared by the time itself: making a number of each would take twice as long.
          const times = { last_in: sql`b.last_in_at`, last_out: lastOut(sql) }
          const timeOfBot = (which: keyof typeof times) => sql`coalesce(${times[which]}, timestamptz 'epoch')`
          const value = {
            worst: sql`b.severity::int8`,
            last_in: microseconds(sql, times.last_in),
            last_out: microseconds(sql, times.last_out),
            newest: sql`0::int8`
          }
          const order = {
            worst: sql`b.severity, b.channel_id`,
            last_in: sql`${timeOfBot("last_in")}, b.channel_id`,
            last_out: sql`${timeOfBot("last_out")}, b.channel_id`,
            newest: sql`b.channel_id desc`
          }
          const last = { ...order, last_out: sql`p.position, b.channel_id` }
          const { value: at, id } = after ?? { value: 0, id: "" }
          const beyond = {
            worst: sql`(b.severity, b.channel_id) > (${at}::bigint, ${id})`,
            last_in: sql`(${timeOfBot("last_in")}, b.channel_id) > (${timeOf(sql, at)}, ${id})`,
            last_out: sql`(${timeOfBot("last_out")}, b.channel_id) > (${timeOf(sql, at)}, ${id})`,
            newest: sql`b.channel_id < ${id}`
          }
          // The page first: what is shown of a bot besides is looked up for the page only.
          return sql`
          with page as materialized (
            select b.app_id, b.channel_id, ${value[sort]} as position from telegram_bots b
            ${sort === "last_out" ? outOf(sql) : sql``}
            where ${matchesBot(sql, filter)} and ${after === null ? sql`true` : beyond[sort]}
            order by ${order[sort]} limit ${limit}::int
          )
          select ${columns(sql)}, p.position ${source(sql)} join page p using (app_id, channel_id)
          order by ${last[sort]}`
        })

      return FleetBots.of({
        list,
        get: (botId) =>
          query<Array<FleetBot>>(
            (sql) => sql`
          select ${columns(sql)}, 0::int8 as position ${source(sql)}
          where b.channel_id = ${botId} and b.status <> 'detached'`
          ).pipe(Effect.map(([row]) => row)),
        count: (filter) =>
          query<Array<{ bots: number }>>(
            (sql) => sql`
          select count(*)::int as bots from (
            select b.channel_id from telegram_bots b where ${matchesBot(sql, filter)} limit ${MAX_COUNTED + 1}::int
          ) b`
          ).pipe(Effect.map(([row]) => totalOf(row!.bots))),
        names: (botIds) =>
          query<Array<{ bot_id: string; username: string | null }>>(
            (sql) => sql`
          select channel_id as bot_id, username from telegram_bots
          where channel_id = any(${[...botIds]}::text[]) and username is not null`
          ).pipe(Effect.map((rows) => new Map(rows.map(({ bot_id, username }) => [bot_id, `@${username}`])))),
        select: (filter, most) =>
          query<Array<BotSelection>>(
            (sql) => sql`
          with found as materialized (
            select b.app_id, b.channel_id as bot_id, b.username, b.status, b.severity
            from telegram_bots b where ${matchesBot(sql, filter)}
            order by b.severity, b.channel_id limit ${most + 1}::int
          )
          select (select count(*)::int from found) as bots, (select count(distinct app_id)::int from found) as apps,
            (select coalesce(json_object_agg(status, n), '{}'::json)
              from (select status, count(*)::int as n from found group by status) s) as statuses,
            (select coalesce(json_agg(json_build_object('app_id', app_id, 'app_name', app_name, 'bot_id', bot_id,
                'username', username, 'status', status) order by severity, bot_id), '[]'::json)
              from (
                select f.*, a.name as app_name from (
                  select * from found order by severity, bot_id limit ${SAMPLE}::int
                ) f join apps a using (app_id)
              ) f) as sample`
          ).pipe(Effect.map(([row]) => row ?? { bots: 0, apps: 0, statuses: {}, sample: [] }))
      })
    })
  )
}
