import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OutcomeName } from "#channels/Lanes.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { type AttemptFilter, inRange, matchesAttempt } from "./attemptFilter.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

/** What a list has a row for. Of a delivery, it is the latest attempt that matches. */
export type AttemptUnit = "attempt" | "delivery"

/** Attempts that are looked through for one page. So a page can be short, and still not be the last. */
const MAX_SCANNED = 5_000

/** Identifies an attempt among those of all apps, in the order of the list. */
export interface AttemptPosition {
  readonly eventId: string
  readonly channelId: string
  readonly part: number
  readonly fence: number
}

export interface AttemptRow {
  readonly app_id: string
  /** Null: the app is deleted. */
  readonly app_name: string | null
  /** Whose conversation it is. Null: nobody's. */
  readonly person: string | null
  /** Null: an operational event of the app. */
  readonly session_id: string | null
  readonly channel_id: string
  readonly kind: string
  readonly event_id: string
  readonly cursor: number
  readonly part: number
  readonly fence: number
  readonly outcome: OutcomeName
  readonly status_code: number | null
  readonly error_code: string | null
  readonly started_at: Date
  readonly latency_ms: number | null
  /** Another attempt delivered it. */
  readonly delivered: boolean
  /** How many attempts its delivery has had. */
  readonly attempts: number
}

/** Of a webhook: what was sent. No secret and no body. */
export interface SentRequest {
  /** Masked. Null: it is not valid. */
  readonly url: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body_bytes: number
  readonly body_sha256: string
}
export interface AttemptDetail extends AttemptRow {
  readonly request: SentRequest | null
  /** The beginning of the response, at most 8 KiB. */
  readonly answer: string | null
}

/** A delivery that a retry of a filter would repeat. */
export interface FailedDelivery {
  readonly app_id: string
  readonly session_id: string
  readonly channel_id: string
  readonly cursor: number
  readonly event_id: string
  readonly outcome: OutcomeName
}

export interface AttemptPage {
  readonly rows: ReadonlyArray<AttemptRow>
  /** Where to continue. Null: this is the end. */
  readonly next: AttemptPosition | null
}

const SAME_DELIVERY = (sql: Sql) => sql`
  s.app_id = a.app_id and s.session_id = a.session_id and s.channel_id = a.channel_id and s.cursor = a.cursor
  and s.part = a.part`

const DELIVERED = (sql: Sql) => sql`
  a.outcome = 'sent' or exists (select from delivery_attempts s where ${SAME_DELIVERY(sql)} and s.outcome = 'sent')`

const COLUMNS = (sql: Sql) => sql`
  a.app_id, (select p.name from apps p where p.app_id = a.app_id) as app_name,
  (select s.external_user_ref from sessions s where s.app_id = a.app_id and s.session_id = a.session_id) as person,
  nullif(a.session_id, a.app_id) as session_id, a.channel_id, coalesce(c.kind, '') as kind, a.event_id,
  a.cursor, a.part, a.fence, a.outcome, a.status_code, a.error_code, a.started_at, a.latency_ms,
  ${DELIVERED(sql)} as delivered,
  (select count(*)::int from delivery_attempts s where ${SAME_DELIVERY(sql)}) as attempts`

const ORDER = (sql: Sql) => sql`a.event_id desc, a.channel_id desc, a.part desc, a.fence desc`

const beyond = (sql: Sql, after: AttemptPosition | null) =>
  after === null
    ? sql`true`
    : sql`a.event_id <= ${after.eventId} and (a.event_id, a.channel_id, a.part, a.fence)
        < (${after.eventId}, ${after.channelId}, ${after.part}::int, ${after.fence}::int)`

/** Attempts at deliveries of all apps, newest event first. */
export class DeliveryAttempts extends Context.Service<
  DeliveryAttempts,
  {
    readonly search: (
      filter: AttemptFilter,
      page: { readonly after: AttemptPosition | null; readonly limit: number; readonly by: AttemptUnit }
    ) => Effect.Effect<AttemptPage, DatabaseError>
    /** The deliveries that match. */
    readonly count: (filter: AttemptFilter) => Effect.Effect<Total, DatabaseError>
    readonly get: (position: AttemptPosition) => Effect.Effect<AttemptDetail | undefined, DatabaseError>
    /** The deliveries that match and have not arrived since, at most `limit` of them, newest first. */
    readonly failed: (
      filter: AttemptFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<FailedDelivery>, DatabaseError>
  }
>()("src/db/operators/DeliveryAttempts") {
  static readonly layer = Layer.effect(
    DeliveryAttempts,
    Effect.gen(function* () {
      const { query } = yield* Database

      const scanned = (sql: Sql, filter: AttemptFilter, after: AttemptPosition | null) => sql`
        select a.* from delivery_attempts a where ${inRange(sql, filter)} and ${beyond(sql, after)}
        order by ${ORDER(sql)} limit ${MAX_SCANNED}::int`

      const search = Effect.fnUntraced(function* (
        filter: AttemptFilter,
        {
          after,
          limit,
          by
        }: { readonly after: AttemptPosition | null; readonly limit: number; readonly by: AttemptUnit }
      ) {
        const rows = yield* query<Array<AttemptRow>>(
          (sql) => sql`
        select ${by === "delivery" ? sql`distinct on (a.event_id, a.channel_id, a.part)` : sql``} ${COLUMNS(sql)}
        from (${scanned(sql, filter, after)}) a left join channels c using (app_id, channel_id)
        where ${matchesAttempt(sql, filter)} order by ${ORDER(sql)} limit ${limit + 1}::int`
        )
        if (rows.length > limit) {
          const last = rows[limit - 1]!
          const { event_id: eventId, channel_id: channelId, part } = last
          // A fence is at least 1, so 0 is behind all attempts of a delivery.
          const fence = by === "delivery" ? 0 : last.fence
          return { rows: rows.slice(0, limit), next: { eventId, channelId, part, fence } }
        }
        const [next = null] = yield* query<Array<AttemptPosition>>(
          (sql) => sql`
        select a.event_id as "eventId", a.channel_id as "channelId", a.part, a.fence from delivery_attempts a
        where ${inRange(sql, filter)} and ${beyond(sql, after)}
        order by ${ORDER(sql)} offset ${MAX_SCANNED - 1}::int limit 1`
        )
        return { rows, next }
      })

      return DeliveryAttempts.of({
        search,
        count: (filter) =>
          query<Array<{ found: number; scanned: number }>>(
            (sql) => sql`
        with a as materialized (
          select a.app_id, a.event_id, a.channel_id, a.part, a.outcome, a.status_code, a.error_code
          from delivery_attempts a
          where ${inRange(sql, filter)} order by ${ORDER(sql)} limit ${MAX_SCANNED}::int
        )
        select (select count(*)::int from (
            select distinct a.event_id, a.channel_id, a.part from a
            where ${matchesAttempt(sql, filter)} limit ${MAX_COUNTED + 1}::int
          ) f) as found, (select count(*)::int from a) as scanned`
          ).pipe(Effect.map(([row]) => totalOf(row!.found, row!.scanned < MAX_SCANNED))),
        get: ({ eventId, channelId, part, fence }) =>
          query<Array<AttemptDetail>>(
            (sql) => sql`
        select ${COLUMNS(sql)}, a.request, a.answer
        from delivery_attempts a left join channels c using (app_id, channel_id)
        where a.event_id = ${eventId} and a.channel_id = ${channelId} and a.part = ${part}::int
          and a.fence = ${fence}::int`
          ).pipe(Effect.map(([row]) => row)),
        failed: (filter, limit) =>
          query<Array<FailedDelivery>>(
            (sql) => sql`
        select * from (
          select distinct on (a.event_id, a.channel_id) a.app_id, a.session_id, a.channel_id, a.cursor, a.event_id,
            a.outcome
          from delivery_attempts a
          where ${inRange(sql, filter)} and ${matchesAttempt(sql, filter)} and not (${DELIVERED(sql)})
          order by a.event_id desc, a.channel_id desc, a.fence desc limit ${limit}::int
        ) f`
          )
      })
    })
  )
}
