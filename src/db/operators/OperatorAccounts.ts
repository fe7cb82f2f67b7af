import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"
import { SHADOW_ACCOUNT } from "#src/db/tenancy/shadow.ts"
import { has } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

export interface AccountRow {
  readonly account_id: string
  readonly kind: string
  readonly name: string | null
  readonly email: string | null
  readonly created_at: Date
  readonly apps: number
  readonly suspended_apps: number
  /** Valid account tokens. */
  readonly tokens: number
  readonly spent_month_micro_usd: number
}

/** Accounts, the owners of apps, with figures that the job `rollup` keeps. */
export class OperatorAccounts extends Context.Service<
  OperatorAccounts,
  {
    /** Newest first, those before `before`. `search`: part of the name or email, in any case. Null: all. */
    readonly list: (page: {
      readonly search: string | null
      readonly before: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<AccountRow>, DatabaseError>
    readonly count: (search: string | null) => Effect.Effect<Total, DatabaseError>
    /** Undefined: no such account. */
    readonly get: (accountId: string) => Effect.Effect<AccountRow | undefined, DatabaseError>
  }
>()("src/db/operators/OperatorAccounts") {
  static readonly layer = Layer.effect(
    OperatorAccounts,
    Effect.gen(function* () {
      const { query } = yield* Database

      /** The figures of the accounts that `found` selects, which is one page at most. */
      const withFigures = (sql: Sql, found: Query) => sql`
        select x.account_id, x.kind, x.name, x.email, x.created_at, f.apps, f.suspended_apps, f.spent_month_micro_usd,
          (select count(*)::int from account_tokens t
            where t.account_id = x.account_id and t.revoked_at is null and t.expires_at > now()) as tokens
        from (${found}) x cross join lateral (
          select count(*)::int as apps, count(h.scope)::int as suspended_apps,
            coalesce(sum(g.spent_month_micro_usd), 0)::int8 as spent_month_micro_usd
          from apps a join app_figures g using (app_id)
          left join telegram_holds h on h.scope = a.app_id and h.kind = 'app' and h.released_at is null
          where a.account_id = x.account_id
        ) f`

      const matches = (sql: Sql, search: string | null) =>
        has(sql, sql`coalesce(name, '') || ' ' || coalesce(email, '')`, search)

      return OperatorAccounts.of({
        list: ({ search, before, limit }) =>
          query<Array<AccountRow>>(
            (sql) => sql`
            ${withFigures(
              sql,
              sql`
              select * from accounts where account_id <> ${SHADOW_ACCOUNT}
                and (${before}::text is null or account_id < ${before}) and ${matches(sql, search)}
              order by account_id desc limit ${limit}::int`
            )} order by account_id desc`
          ),
        count: (search) =>
          query<Array<{ accounts: number }>>(
            (sql) => sql`
            select count(*)::int as accounts from (
              select account_id from accounts where account_id <> ${SHADOW_ACCOUNT} and ${matches(sql, search)}
              limit ${MAX_COUNTED + 1}::int
            ) a`
          ).pipe(Effect.map(([row]) => totalOf(row!.accounts))),
        get: (accountId) =>
          query<Array<AccountRow>>((sql) =>
            withFigures(
              sql,
              sql`select * from accounts where account_id = ${accountId} and account_id <> ${SHADOW_ACCOUNT}`
            )
          ).pipe(Effect.map(([row]) => row))
      })
    })
  )
}
