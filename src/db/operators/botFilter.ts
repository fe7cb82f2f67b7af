import type { Sql } from "#src/db/postgres/Database.ts"
import type { BotStatus } from "#src/db/telegram/bots/StoredBot.ts"

/** Bots of the whole fleet. Null or empty: not filtered by it. */
export interface BotFilter {
  readonly appId: string | null
  readonly botIds: ReadonlyArray<string>
  readonly states: ReadonlyArray<BotStatus>
  readonly reason: string | null
  /** Something has waited for longer than this to be sent or answered. Seconds. */
  readonly lagOver: number | null
  /** Nothing has come in for this long, or ever. Seconds. */
  readonly silentFor: number | null
  /** Nothing was sent for this long, or ever. Seconds. */
  readonly unsentFor: number | null
}

export const NO_BOT_FILTER: BotFilter = {
  appId: null,
  botIds: [],
  states: [],
  reason: null,
  lagOver: null,
  silentFor: null,
  unsentFor: null
}

/** How long the oldest ready lane of a bot `b` has waited, in seconds. Null: none waits. */
export const outboundLag = (sql: Sql) => sql`(
  select extract(epoch from now() - l.due_at)::float8 from lanes l
  where l.app_id = b.app_id and l.channel_id = b.channel_id and l.status = 'ready' and l.owner is null
  order by l.due_at limit 1)`

/** The same for the oldest update that waits. Updates of a suspended bot are put aside and do not count. */
export const inboundLag = (sql: Sql) => sql`(
  select extract(epoch from now() - min(u.received_at))::float8 from telegram_updates u
  where u.app_id = b.app_id and u.channel_id = b.channel_id and u.done_at is null and u.due_at < 'infinity')`

/** When a bot `b` last sent something, with `o` joined by `outOf`. */
export const lastOut = (sql: Sql) => sql`o.last_success_at`
/** The channels of the bots `b`, joined as a whole: a look-up for each bot takes several times as long. */
export const outOf = (sql: Sql) => sql`
  left join channels o on o.app_id = b.app_id and o.channel_id = b.channel_id`

/** The channels in which something has waited for longer than this to be sent or answered. Few wait at a time. */
const waitingLongerThan = (sql: Sql, seconds: number) => sql`
  select l.app_id, l.channel_id from lanes l
  where l.status = 'ready' and l.owner is null and l.due_at < now() - ${seconds}::float8 * interval '1 second'
  union
  select u.app_id, u.channel_id from telegram_updates u
  where u.done_at is null and u.due_at < 'infinity'
    and u.received_at < now() - ${seconds}::float8 * interval '1 second'`

/** The condition on a bot `b`. It joins nothing, so that the order of the bots comes from an index. */
export const matchesBot = (
  sql: Sql,
  { appId, botIds, states, reason, lagOver, silentFor, unsentFor }: BotFilter
) => sql`
  b.status <> 'detached'
  and ${appId === null ? sql`true` : sql`b.app_id = ${appId}`}
  and ${botIds.length === 0 ? sql`true` : sql`b.channel_id = any(${[...botIds]}::text[])`}
  and (${states.length}::int = 0 or b.status = any(${[...states]}::text[]))
  and (${reason}::text is null or b.reason = ${reason})
  and ${lagOver === null ? sql`true` : sql`(b.app_id, b.channel_id) in (${waitingLongerThan(sql, lagOver)})`}
  and (${silentFor}::float8 is null
    or coalesce(b.last_in_at < now() - ${silentFor}::float8 * interval '1 second', true))
  and ${
    unsentFor === null
      ? sql`true`
      : sql`(b.app_id, b.channel_id) not in (
          select c.app_id, c.channel_id from channels c
          where c.paced and c.last_success_at >= now() - ${unsentFor}::float8 * interval '1 second')`
  }`
