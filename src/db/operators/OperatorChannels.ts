import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { maskUrl } from "#channels/outbound/maskUrl.ts"
import { readyLanes, waitingLanes } from "#src/db/delivery/waitingLanes.ts"
import { openUrl } from "#src/db/delivery/webhookUrls.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { PageOf } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

export const CHANNEL_STATES = ["active", "paused", "failing", "disabled"] as const
export type ChannelState = (typeof CHANNEL_STATES)[number]
export const CHANNEL_SORTS = ["failure_rate", "newest"] as const
export type ChannelSort = (typeof CHANNEL_SORTS)[number]

/** Null or empty: not filtered by it. */
export interface ChannelFilter {
  readonly appId: string | null
  readonly states: ReadonlyArray<ChannelState>
}

export interface ChannelRow {
  readonly app_id: string
  readonly app_name: string
  readonly channel_id: string
  /** Null: it receives the events of all sessions of the app. */
  readonly session_id: string | null
  readonly kind: string
  /** Masked: a whole address may contain a credential. */
  readonly url: string
  readonly events: ReadonlyArray<string> | null
  readonly config: Readonly<Record<string, unknown>>
  readonly status: ChannelState
  readonly attempts_24h: number
  readonly failures_24h: number
  readonly failing_since: Date | null
  readonly consecutive_failures: number
  readonly last_success_at: Date | null
  readonly not_before: Date | null
  readonly created_at: Date
  readonly position: number
}

/** Conversations whose next event has not arrived at a webhook. */
export interface WaitingEvents {
  /** Those that wait for a time: after a failure, a pause that the receiver asked for, or a crash. */
  readonly lanes: number
  /** When the first of them is tried. Null: none waits. */
  readonly next_attempt_at: Date | null
  /** Those whose event may be sent now. */
  readonly ready: number
}
/** No more are counted. */
export const MAX_WAITING = 1000

type Stored = Omit<ChannelRow, "url"> & { readonly url: Uint8Array | null; readonly plain_url: string | null }

/** Webhook endpoints of all apps. */
export class OperatorChannels extends Context.Service<
  OperatorChannels,
  {
    /** Those first whose pushes failed most often in the last day; or the newest. */
    readonly list: (
      filter: ChannelFilter,
      sort: ChannelSort,
      page: PageOf
    ) => Effect.Effect<ReadonlyArray<ChannelRow>, DatabaseError>
    readonly count: (filter: ChannelFilter) => Effect.Effect<Total, DatabaseError>
    readonly get: (channelId: string) => Effect.Effect<ChannelRow | undefined, DatabaseError>
    /** Those of these webhooks that exist. */
    readonly named: (channelIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ChannelRow>, DatabaseError>
    /** What waits at a webhook. */
    readonly waiting: (row: Pick<ChannelRow, "app_id" | "channel_id">) => Effect.Effect<WaitingEvents, DatabaseError>
  }
>()("src/db/operators/OperatorChannels") {
  static readonly layer = Layer.effect(
    OperatorChannels,
    Effect.gen(function* () {
      const { query } = yield* Database
      const secrets = yield* Secrets

      const columns = (sql: Sql) => sql`
        c.app_id, a.name as app_name, c.channel_id, c.session_id, c.kind, c.url, c.target ->> 'url' as plain_url,
        array_to_json(c.events) as events, c.config, c.status, f.attempts_24h, f.failures_24h, c.failing_since,
        c.consecutive_failures, c.last_success_at, c.not_before, c.created_at,
        f.failures_per_million::int8 as position`
      const source = (sql: Sql) => sql`
        from channel_figures f join channels c using (app_id, channel_id) join apps a using (app_id)`

      const shown = ({ url, plain_url, ...row }: Stored) =>
        openUrl(secrets, { app_id: row.app_id, channel_id: row.channel_id, url, plain_url }).pipe(
          Effect.orDie,
          Effect.map((address): ChannelRow => ({ ...row, url: maskUrl(new URL(Redacted.value(address))) }))
        )

      const matches = (sql: Sql, { appId, states }: ChannelFilter) => sql`
        c.status <> 'deleted' and ${appId === null ? sql`true` : sql`f.app_id = ${appId}`}
        and (${states.length}::int = 0 or c.status = any(${[...states]}::text[]))
        and ${
          states.length === 0 || states.includes("active")
            ? sql`true`
            : sql`not c.paced and c.status in ('paused', 'failing', 'disabled')`
        }`

      return OperatorChannels.of({
        list: (filter, sort, { after, limit }) =>
          query<Array<Stored>>((sql) => {
            const { value: at, id } = after ?? { value: 0, id: "" }
            const order = {
              failure_rate: sql`f.failures_per_million desc, f.channel_id desc`,
              newest: sql`f.channel_id desc`
            }
            const beyond = {
              failure_rate: sql`(f.failures_per_million, f.channel_id) < (${at}::bigint, ${id})`,
              newest: sql`f.channel_id < ${id}`
            }
            return sql`
            select ${columns(sql)} ${source(sql)}
            where ${matches(sql, filter)} and ${after === null ? sql`true` : beyond[sort]}
            order by ${order[sort]} limit ${limit}::int`
          }).pipe(Effect.flatMap(Effect.forEach(shown))),
        count: (filter) =>
          query<Array<{ channels: number }>>(
            (sql) => sql`
            select count(*)::int as channels from (
              select f.channel_id ${source(sql)} where ${matches(sql, filter)} limit ${MAX_COUNTED + 1}::int
            ) c`
          ).pipe(Effect.map(([row]) => totalOf(row!.channels))),
        get: (channelId) =>
          query<Array<Stored>>(
            (sql) => sql`select ${columns(sql)} ${source(sql)} where f.channel_id = ${channelId}
              and c.status <> 'deleted'`
          ).pipe(
            Effect.flatMap(Effect.forEach(shown)),
            Effect.map(([row]) => row)
          ),
        named: (channelIds) =>
          query<Array<Stored>>(
            (sql) => sql`select ${columns(sql)} ${source(sql)} where f.channel_id = any(${[...channelIds]}::text[])
              and c.status <> 'deleted'`
          ).pipe(Effect.flatMap(Effect.forEach(shown))),
        waiting: ({ app_id, channel_id }) =>
          query<Array<WaitingEvents>>(
            (sql) => sql`
            select least(count(*), ${MAX_WAITING}::int)::int as lanes, min(w.due_at) as next_attempt_at, (
                select count(*)::int from (
                  ${readyLanes(sql, sql`${app_id}`, sql`${channel_id}`, MAX_WAITING)}
                ) r
              ) as ready
            from (${waitingLanes(sql, sql`${app_id}`, sql`${channel_id}`, MAX_WAITING)}) w`
          ).pipe(Effect.map(([row]) => row!))
      })
    })
  )
}
