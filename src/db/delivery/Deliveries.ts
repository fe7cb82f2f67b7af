import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Limit for events of one lane that wait for redelivery. */
const MAX_REDO = 100
/** Limit for the attempts of one event in an answer, newest first. */
const MAX_ATTEMPTS_SHOWN = 100
const LAST_CURSOR = Number.MAX_SAFE_INTEGER

export interface Delivery {
  readonly channel_id: string
  readonly kind: string
  readonly event_id: string
  readonly event_cursor: number
  readonly outcome: "pending" | "sent" | "not_sent" | "unknown" | "rejected" | "gone" | "expired"
  readonly attempts: number
  readonly last_status_code: number | null
  readonly last_error_code: string | null
  readonly next_attempt_at: Date | null
  readonly delivered_at: Date | null
  readonly latency_ms: number | null
  /** It is before the lane's position. */
  readonly passed: boolean
  /** The lane tries it next. */
  readonly is_next: boolean
}

export interface DeliveryAttempt {
  readonly at: Date
  readonly part: number
  readonly outcome: Exclude<Delivery["outcome"], "pending">
  readonly status_code: number | null
  readonly error_code: string | null
  readonly latency_ms: number | null
  readonly answer: string | null
}

/** Identifies a delivery: the channel, and the cursor of the event. */
export interface DeliveryPosition {
  readonly channelId: string
  readonly cursor: number
}

export interface DeliveryFilter {
  readonly channelId: string | null
  /** Deliveries after this one, in list order. */
  readonly before: DeliveryPosition | null
  readonly limit: number
}

/** The lane already has the maximum number of redeliveries waiting. */
export class RetryLimitReached extends Schema.TaggedError<RetryLimitReached>()("RetryLimitReached", {}) {}

/**
 * The deliveries of a session's events to its channels. Computed from the lanes and the attempts, without a table of
 * its own.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Newest event first: attempted deliveries, and those that a lane still has to make. */
    readonly list: (
      appId: string,
      sessionId: string,
      filter: DeliveryFilter
    ) => Effect.Effect<ReadonlyArray<Delivery>, DatabaseError>
    readonly get: (
      appId: string,
      sessionId: string,
      position: DeliveryPosition
    ) => Effect.Effect<Delivery | undefined, DatabaseError>
    /** Oldest first. */
    readonly attempts: (
      appId: string,
      sessionId: string,
      position: DeliveryPosition
    ) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, DatabaseError>
    /**
     * Requests a delivery now. If its lane is already past it, it is delivered again. Undefined: there is no such
     * delivery.
     */
    readonly retry: (
      appId: string,
      sessionId: string,
      position: DeliveryPosition
    ) => Effect.Effect<Delivery | undefined, RetryLimitReached | DatabaseError>
  }
>()("src/db/delivery/Deliveries") {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      /** From `upTo` down to `from`. For the event of `upTo` itself, only channels below `below`. */
      interface Range {
        readonly channelId: string | null
        readonly from: number
        readonly upTo: number
        readonly below: string | null
        readonly limit: number
      }
      const select = (appId: string, sessionId: string, { channelId, from, upTo, below, limit }: Range) =>
        query<Array<Delivery>>(
          (sql) => sql`
        with lane as (
          select l.*, c.kind, c.events, c.not_before, c.status in ('active', 'failing') as walked, (
            select e.cursor from events e
            where e.app_id = l.app_id and e.session_id = l.session_id and e.cursor > l.position and (c.events is null
              or e.type = any(c.events))
            order by e.cursor limit 1
          ) as next
          from lanes l join channels c using (app_id, channel_id)
          where l.app_id = ${appId} and l.session_id =
            ${sessionId} and c.status <> 'deleted' and (${channelId}::text is null or l.channel_id = ${channelId})
        ), place as (
          select l.channel_id, x.cursor from lane l cross join lateral (
            (select e.cursor from events e
              where e.app_id = l.app_id and e.session_id = l.session_id and e.cursor > l.position and (l.events is null
                or e.type = any(l.events))
                and e.cursor between ${from}::bigint
                  and ${upTo}::bigint and (e.cursor <
                    ${upTo}::bigint or ${below}::text is null or l.channel_id < ${below})
              order by e.cursor desc limit ${limit}::int)
            union
            (select a.cursor from delivery_attempts a
              where a.app_id = l.app_id and a.session_id = l.session_id and a.channel_id = l.channel_id
                and a.cursor between ${from}::bigint
                  and ${upTo}::bigint and (a.cursor <
                    ${upTo}::bigint or ${below}::text is null or l.channel_id < ${below})
              group by a.cursor order by a.cursor desc limit ${limit}::int)
          ) x
          order by x.cursor desc, l.channel_id desc limit ${limit}::int
        )
        select l.channel_id, l.kind, e.id as event_id, e.cursor as event_cursor, e.cursor <= l.position as passed,
          e.cursor is not distinct from l.next as is_next,
          case when last.outcome is null or (e.cursor > l.position and (last.outcome = 'sent' or not (e.cursor = l.next
            and (l.failures > 0 or l.status in ('waiting', 'parked') or last.outcome = 'gone' and not l.walked))))
              then 'pending' else last.outcome end as outcome,
          coalesce(tries.attempts, 0) as attempts, last.status_code as last_status_code,
            last.error_code as last_error_code,
          case when l.walked and (e.cursor = any(l.redo) or ((l.failures > 0 or l.status = 'waiting')
            and e.cursor = l.next)) then greatest(l.due_at, l.not_before) end as next_attempt_at,
          tries.delivered_at, last.latency_ms
        from place p join lane l using (channel_id) join events e on e.app_id = l.app_id
          and e.session_id = l.session_id and e.cursor = p.cursor
        left join lateral (
          select * from (
            select distinct on (a.part) a.* from delivery_attempts a
            where a.app_id = l.app_id and a.session_id = l.session_id and a.channel_id = l.channel_id
              and a.cursor = p.cursor order by a.part, a.fence desc
          ) a order by a.outcome = 'sent', a.fence desc, a.part desc limit 1
        ) last on true
        left join lateral (
          select count(a.latency_ms)::int as attempts,
            max(a.started_at + a.latency_ms * interval '1 millisecond') filter (where a.outcome = 'sent') as
              delivered_at
          from delivery_attempts a where a.app_id = l.app_id and a.session_id = l.session_id
            and a.channel_id = l.channel_id and a.cursor = p.cursor
        ) tries on true
        order by e.cursor desc, l.channel_id desc`
        )

      const list = (appId: string, sessionId: string, { channelId, before, limit }: DeliveryFilter) =>
        select(appId, sessionId, {
          channelId,
          from: 0,
          upTo: before?.cursor ?? LAST_CURSOR,
          below: before?.channelId ?? null,
          limit
        })
      const get = (appId: string, sessionId: string, { channelId, cursor }: DeliveryPosition) =>
        select(appId, sessionId, { channelId, from: cursor, upTo: cursor, below: null, limit: 1 }).pipe(
          Effect.map((rows) => rows[0])
        )

      const attempts = (appId: string, sessionId: string, { channelId, cursor }: DeliveryPosition) =>
        query<Array<DeliveryAttempt>>(
          (sql) => sql`
        select started_at as at, part, outcome, status_code, error_code, latency_ms, answer from delivery_attempts
        where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId} and cursor = ${cursor}
        order by fence desc, part desc limit ${MAX_ATTEMPTS_SHOWN}::int`
        ).pipe(Effect.map((rows) => rows.toReversed()))

      const retry = Effect.fnUntraced(function* (appId: string, sessionId: string, position: DeliveryPosition) {
        const { channelId, cursor } = position
        const [lane] = yield* query<Array<{ known: boolean; full: boolean }>>(
          (sql) => sql`
        select ${cursor}::bigint = any(redo) as known, cardinality(redo) >= ${MAX_REDO}::int as full from lanes
        where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId} for update`
        )
        const delivery = yield* get(appId, sessionId, position)
        if (lane === undefined || delivery === undefined) return undefined
        if (delivery.passed && !lane.known) {
          if (lane.full) return yield* new RetryLimitReached()
          // A lane that waits for a retry keeps waiting, because the receiver is failing.
          yield* query(
            (sql) => sql`
          update lanes set redo = redo ||
            ${cursor}::bigint, due_at = case status when 'idle' then now() else due_at end, status = case status
              when 'idle' then 'ready' else status end
          where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId}`
          )
        } else if (delivery.is_next) {
          yield* query(
            (sql) => sql`
          update lanes set status = 'ready', due_at = now()
          where app_id = ${appId} and session_id = ${sessionId} and channel_id = ${channelId} and status = 'waiting'`
          )
        }
        yield* query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`)
        return yield* get(appId, sessionId, position)
      }, transaction)

      return Deliveries.of({ list, get, attempts, retry })
    })
  )
}
