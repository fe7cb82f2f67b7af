import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import type { Environment } from "#src/db/tenancy/Apps.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"
import { has, microseconds, type PageOf, timeOf } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

export const APP_SORTS = ["spend", "errors", "last_use", "newest"] as const
export type AppSort = (typeof APP_SORTS)[number]

/** Null: not filtered by it. */
export interface AppFilter {
  readonly state: "active" | "suspended" | null
  readonly accountId: string | null
  /** Part of the name or email of the account. */
  readonly account: string | null
  /** Part of the name. */
  readonly name: string | null
}
export const NO_APP_FILTER: AppFilter = { state: null, accountId: null, account: null, name: null }

export interface NamedApp {
  readonly app_id: string
  readonly name: string
}

export interface AppRow {
  readonly app_id: string
  readonly account_id: string
  /** The name of the account, or else its email. Null: it has neither. */
  readonly account_name: string | null
  readonly name: string
  readonly environment: Environment
  readonly created_at: Date
  readonly suspended_at: Date | null
  readonly suspended_reason: string | null
  readonly spent_day_micro_usd: number
  readonly spent_month_micro_usd: number
  readonly turns_24h: number
  readonly failed_24h: number
  /** Null: it was never used. */
  readonly last_used_at: Date | null
  /** What the list is sorted by. */
  readonly position: number
}

const ORDER = {
  spend: (sql: Sql) => sql`f.spent_month_micro_usd desc, f.app_id desc`,
  errors: (sql: Sql) => sql`f.failed_24h desc, f.app_id desc`,
  last_use: (sql: Sql) => sql`f.last_used_at desc, f.app_id desc`,
  newest: (sql: Sql) => sql`f.app_id desc`
}

/** Apps of all accounts, with figures that the job `rollup` keeps. */
export class OperatorApps extends Context.Service<
  OperatorApps,
  {
    /** The highest of what it is sorted by first. */
    readonly list: (
      filter: AppFilter,
      sort: AppSort,
      page: PageOf
    ) => Effect.Effect<ReadonlyArray<AppRow>, DatabaseError>
    readonly count: (filter: AppFilter) => Effect.Effect<Total, DatabaseError>
    /** Up to `limit` apps whose names contain this, by name. */
    readonly named: (part: string, limit: number) => Effect.Effect<ReadonlyArray<NamedApp>, DatabaseError>
    /** Undefined: no such app. */
    readonly get: (appId: string) => Effect.Effect<AppRow | undefined, DatabaseError>
    /** What these apps are called, by id. Those that do not exist are left out. */
    readonly names: (appIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, DatabaseError>
  }
>()("src/db/operators/OperatorApps") {
  static readonly layer = Layer.effect(
    OperatorApps,
    Effect.gen(function* () {
      const { query } = yield* Database

      const columns = (sql: Sql) => sql`
        a.app_id, a.account_id,
        (select coalesce(o.name, o.email) from accounts o where o.account_id = a.account_id) as account_name,
        a.name, a.environment, a.created_at, h.since as suspended_at,
        h.reason as suspended_reason, f.spent_day_micro_usd, f.spent_month_micro_usd, f.turns_24h, f.failed_24h,
        nullif(f.last_used_at, timestamptz 'epoch') as last_used_at`
      const source = (sql: Sql) => sql`
        from app_figures f join apps a using (app_id)
        left join telegram_holds h on h.scope = a.app_id and h.kind = 'app' and h.released_at is null`

      const accountText = (sql: Sql) => sql`(
        select coalesce(o.name, '') || ' ' || coalesce(o.email, '') from accounts o where o.account_id = a.account_id)`
      const matches = (sql: Sql, { state, accountId, account, name }: AppFilter) => sql`
        (${state}::text is null or (${state} = 'suspended') = (h.scope is not null))
        and (${accountId}::text is null or a.account_id = ${accountId})
        and ${has(sql, accountText(sql), account)}
        and ${has(sql, sql`a.name`, name)}`

      const list = (filter: AppFilter, sort: AppSort, { after, limit }: PageOf) =>
        query<Array<AppRow>>((sql) => {
          const value = {
            spend: sql`f.spent_month_micro_usd`,
            errors: sql`f.failed_24h::int8`,
            last_use: microseconds(sql, sql`f.last_used_at`),
            newest: sql`0::int8`
          }
          const { value: at, id } = after ?? { value: 0, id: "" }
          const beyond = {
            spend: sql`(f.spent_month_micro_usd, f.app_id) < (${at}::bigint, ${id})`,
            errors: sql`(f.failed_24h, f.app_id) < (${at}::bigint, ${id})`,
            last_use: sql`(f.last_used_at, f.app_id) < (${timeOf(sql, at)}, ${id})`,
            newest: sql`f.app_id < ${id}`
          }
          return sql`
          select ${columns(sql)}, ${value[sort]} as position ${source(sql)}
          where ${after === null ? sql`true` : beyond[sort]} and ${matches(sql, filter)}
          order by ${ORDER[sort](sql)} limit ${limit}::int`
        })

      return OperatorApps.of({
        list,
        count: (filter) =>
          query<Array<{ apps: number }>>(
            (sql) => sql`
            select count(*)::int as apps from (
              select f.app_id ${source(sql)} where ${matches(sql, filter)} limit ${MAX_COUNTED + 1}::int
            ) a`
          ).pipe(Effect.map(([row]) => totalOf(row!.apps))),
        named: (part, limit) =>
          query<Array<NamedApp>>(
            (sql) => sql`
            select app_id, name from apps where ${isNotShadow(sql)} and ${has(sql, sql`name`, part)}
            order by lower(name), app_id limit ${limit}::int`
          ),
        get: (appId) =>
          query<Array<AppRow>>(
            (sql) => sql`select ${columns(sql)}, 0::int8 as position ${source(sql)} where a.app_id = ${appId}`
          ).pipe(Effect.map(([row]) => row)),
        names: (appIds) =>
          query<Array<{ app_id: string; name: string }>>(
            (sql) => sql`select app_id, name from apps where app_id = any(${[...appIds]}::text[])`
          ).pipe(Effect.map((rows) => new Map(rows.map(({ app_id, name }) => [app_id, name]))))
      })
    })
  )
}
