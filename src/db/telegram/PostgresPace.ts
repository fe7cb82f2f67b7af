import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Pace, type InFlightCall } from "#channels/telegram/Pace.ts"
import { isServiceLog } from "#channels/telegram/serviceLog.ts"
import { type Chat, type ChatRef, ChatsUnavailable } from "#channels/telegram/TelegramChats.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { chatOf } from "./chatOf.ts"
import { isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"

/** Milliseconds between two messages, and the burst size. */
const PRIVATE = { every: 1000, burst: 3 }
const GROUP = { every: 3000, burst: 1 }
const BOT_ANSWERS = 10
const BOT_BURST = 20
/** Minimum distance of proactive messages, without bursts: at most 25 a second, with room for jitter on the network. */
const PROACTIVE = 52
/**
 * A caller without a slot is told when to come back, in steps of this many milliseconds. All callers of a second become
 * due together and get their slots within it, before those of the next second come. So a bot's lanes are free for
 * answers most of the time.
 */
const QUEUED = 64
const SLOW_FOR = "60 seconds"
/**
 * The assumed duration of a call. A call that has not returned is counted with this duration, because its process may
 * have been killed or the call aborted.
 */
const UNDER_WAY = 1000
/** How long a promised slot in a chat stays reserved for its caller. */
const PROMISED = 500

interface PaceRow {
  readonly wait_ms: number | null
  readonly chat_id: number | null
  readonly thread_id: number | null
  readonly status: Chat["status"] | null
  readonly is_behind: boolean | null
  readonly until_ms: number | null
  readonly ahead_ms: number | null
  readonly open: boolean
}

/**
 * Whether the chat `c` still has to get a service reply. It is from before the session: a chat with a session has its
 * replies on the log of that. One that cannot be sent for now holds nothing up.
 */
const isBehind = (sql: Sql) => sql`exists (select from lanes l where l.app_id = c.app_id
  and l.session_id = c.service_log_id and l.channel_id = c.channel_id and l.position < l.head and l.status <> 'parked')`

/** How early a message may be (GCRA). Even if the rate is lowered, the result stays within Telegram's limits. */
const tolerance = (every: number, burst: number) => (burst - 1) * every

const everyOf = (sql: Sql) => sql`
  case when p.chat_id = 0 then ${BOT_ANSWERS}::int when p.chat_id < 0 then ${GROUP.every} else ${PRIVATE.every} end
    * case when p.slow_until > clock_timestamp() then 2 else 1 end * interval '1 millisecond'`

interface Acquisition {
  readonly ofBot: boolean
  readonly ofChat: boolean
  readonly proactive?: boolean
  readonly withinMs?: number
}

/**
 * Takes a slot of the bot, a slot in the chat, or both or neither: theoretical arrival times (GCRA), one row each. Rows
 * are locked before they are read, the bot's first, so that decisions use current values. The bot's slot is taken ahead
 * of time. The chat's slot is only promised then, normally to one caller at a time, and taken when the call departs.
 * Until the call returns, it is counted as if it arrived at the last moment. Proactive messages have a separate rate in
 * addition to the bot's, so that no answer waits behind them.
 */
const acquireSlots = (sql: Sql, ref: ChatRef, { ofBot, ofChat, proactive = false, withinMs = 0 }: Acquisition) => sql`
  with durable as (
    select set_config('synchronous_commit', 'off', true)
  ), chat as (
    select c.chat_id, c.thread_id, c.status,
      ${ofBot && !ofChat && !isServiceLog(ref.sessionId) ? isBehind(sql) : sql`false`} as is_behind
    from (${chatOf(sql, ref)}) c, durable
  ), place as (
    select p.*, clock_timestamp() as at, ${everyOf(sql)} as every,
      case when p.chat_id = 0 then ${tolerance(BOT_ANSWERS, BOT_BURST)}::int when p.chat_id < 0
        then ${tolerance(GROUP.every, GROUP.burst)} else ${tolerance(PRIVATE.every, PRIVATE.burst)} end
        * interval '1 millisecond' as tolerance
    from telegram_paces p where p.app_id =
      ${ref.appId} and p.channel_id =
        ${ref.channelId} and p.chat_id in (${ofBot ? 0 : null}::bigint, (select chat_id from chat))
    order by p.chat_id = 0 desc for no key update
  ), ahead as (
    select p.*, greatest(p.taken_until, p.at) as until, case
      when ${ofBot}::boolean and p.promised_until > p.at then p.every else interval '0' end as promised,
      case when ${proactive}::boolean and p.chat_id = 0 then greatest(p.unasked_until, p.at) end as unasked_at
        from place p
  ), wait as (
    select ceil(max(greatest(0, extract(epoch from greatest(p.blocked_until, p.until + p.promised - p.tolerance,
      p.unasked_at) - p.at) * 1000)))::int as ms,
      bool_or(p.unasked_at > p.at + ${withinMs}::int * interval '1 millisecond') as is_queued
    from ahead p
  ), taken as (
    update telegram_paces t set
      taken_until = case when p.chat_id = 0 then p.until + p.every
        when ${ofChat}::boolean then greatest(p.until,
          p.at + ${UNDER_WAY}::int * interval '1 millisecond') + p.every else t.taken_until end,
      promised_until = case when p.chat_id <> 0
        and not ${ofChat}::boolean then p.at + (w.ms +
          ${PROMISED}::int) * interval '1 millisecond' when ${ofBot}::boolean then t.promised_until end,
      unasked_until = coalesce(p.unasked_at + p.every * ${PROACTIVE / BOT_ANSWERS}::float8, t.unasked_until)
    from ahead p, wait w where t.app_id = p.app_id and t.channel_id = p.channel_id and t.chat_id = p.chat_id
      and w.ms <= ${withinMs}::int and not exists (select from chat where is_behind)
    returning t.chat_id, t.taken_until, t.taken_until - (p.until + p.every) as ahead
  ), queue as (
    select p.*, greatest(p.queued_until, p.unasked_at) as back_at from ahead p, wait w where p.chat_id = 0
      and w.is_queued and not exists (select from chat where is_behind)
  ), queued as (
    update telegram_paces t set queued_until = q.back_at + q.every * ${QUEUED / BOT_ANSWERS}::float8
    from queue q where t.app_id = q.app_id and t.channel_id = q.channel_id and t.chat_id = q.chat_id
  )
  select greatest(w.ms, (select extract(epoch from back_at - at) * 1000 from queue)::int) as wait_ms, c.chat_id,
    c.thread_id, c.status, c.is_behind,
    (extract(epoch from n.taken_until) * 1000)::float8 as until_ms, (extract(epoch
      from n.ahead) * 1000)::float8 as ahead_ms,
    exists (select from turns t where t.app_id =
      ${ref.appId} and t.session_id = ${ref.sessionId} and t.outcome is null) and exists (
      select from channels x where x.app_id =
        ${ref.appId} and x.channel_id =
          ${ref.channelId} and x.status in ('active', 'failing')
            and not (${isSuspendedByOperator(sql, sql`x.app_id`)})) as open
  from wait w left join chat c on true left join taken n on n.chat_id = c.chat_id`

const chatIn = ({ chat_id, thread_id, status }: PaceRow): Chat | undefined =>
  chat_id === null || thread_id === null || status === null
    ? undefined
    : { chatId: chat_id, threadId: thread_id, status }
const inFlightOf = (chat: Chat, { until_ms, ahead_ms }: PaceRow): InFlightCall | null =>
  until_ms === null ? null : { chatId: chat.chatId, untilMs: until_ms, aheadMs: ahead_ms ?? 0 }

/** Rate limits of bots in PostgreSQL. If a database crash loses the latest values, only a slot or two are lost. */
export const layer = Layer.effect(
  Pace,
  Effect.gen(function* () {
    const { query } = yield* Database
    const unavailable = Effect.mapError((cause: unknown) => new ChatsUnavailable({ cause }))
    const rows = (ref: ChatRef, taking: Acquisition) =>
      query<Array<PaceRow>>((sql) => acquireSlots(sql, ref, taking)).pipe(
        Effect.map(([row]) => row),
        unavailable
      )

    return Pace.of({
      reserve: (ref, { proactive, within }) =>
        Effect.map(
          rows(ref, { ofBot: true, ofChat: false, proactive: proactive, withinMs: Duration.toMillis(within) }),
          (row) => (row?.is_behind === true ? null : Duration.millis(row?.wait_ms ?? 0))
        ),

      acquire: (ref) =>
        Effect.map(rows(ref, { ofBot: false, ofChat: true }), (row) => {
          const chat = row === undefined ? undefined : chatIn(row)
          if (row === undefined || chat === undefined) return undefined
          return (row.wait_ms ?? 0) > 0
            ? { wait: Duration.millis(row.wait_ms ?? 0) }
            : { chat, inFlight: inFlightOf(chat, row) }
        }),

      // Refunds the overestimate, regardless of later slots. If the call took longer than assumed, the next slot moves.
      release: ({ appId, channelId }, { chatId, untilMs, aheadMs }) =>
        query(
          (sql) => sql`
      with durable as (
        select set_config('synchronous_commit', 'off', true)
      ), place as (
        select p.*, clock_timestamp() +
          ${everyOf(sql)} as least_until,
            to_timestamp(${untilMs / 1000}::float8) as until from telegram_paces p, durable
        where p.app_id = ${appId} and p.channel_id = ${channelId} and p.chat_id = ${chatId} for no key update of p
      )
      update telegram_paces t set taken_until = greatest(p.least_until,
        t.taken_until - least(${aheadMs}::float8 * interval '1 millisecond', greatest(interval '0',
          p.until - p.least_until)))
      from place p where t.app_id = p.app_id and t.channel_id = p.channel_id and t.chat_id = p.chat_id`
        ).pipe(Effect.asVoid, unavailable),

      tryAcquire: (ref) =>
        Effect.map(rows(ref, { ofBot: true, ofChat: true }), (row) => {
          const chat = row === undefined ? undefined : chatIn(row)
          if (row === undefined || chat === undefined || !row.open || chat.status !== "active") return "over" as const
          return row.wait_ms !== 0 ? ("busy" as const) : { chat, inFlight: inFlightOf(chat, row) }
        }),

      // If several chats of a bot are blocked, the whole bot is blocked.
      backOff: (ref, after) =>
        query(
          (sql) => sql`
      with chat as (
        ${chatOf(sql, ref)}
      ), others as (
        select count(*) as n from telegram_paces p
          where p.app_id = ${ref.appId} and p.channel_id =
            ${ref.channelId} and p.chat_id not in (0, (select chat_id from chat)) and p.blocked_until > now()
      ), locked as (
        select p.app_id, p.channel_id, p.chat_id from telegram_paces p, others o
        where p.app_id = ${ref.appId} and p.channel_id =
          ${ref.channelId} and p.chat_id in (0, (select chat_id from chat)) and (p.chat_id <> 0 or o.n > 0)
        order by p.chat_id = 0 desc for no key update of p
      )
      update telegram_paces p set blocked_until = greatest(p.blocked_until,
        now() + ${Duration.toMillis(after)}::bigint * interval '1 millisecond'),
        slow_until = greatest(p.slow_until,
          now() + ${Duration.toMillis(after)}::bigint * interval '1 millisecond' + ${SLOW_FOR}::interval)
      from locked l where p.app_id = l.app_id and p.channel_id = l.channel_id and p.chat_id = l.chat_id`
        ).pipe(Effect.asVoid, unavailable)
    })
  })
)
