import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import { type MintedKey, mintApiKey } from "#src/accounts/apiKey.ts"
import { Cell } from "#src/accounts/cell.ts"
import { auditing } from "./auditLog.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { OPERATOR } from "./operator.ts"
import { SHADOW_ACCOUNT } from "./shadow.ts"
import { VersionConflict } from "#src/db/postgres/VersionConflict.ts"

/** Maximum number of apps per account. */
export const MAX_APPS = 100

export type Environment = "test" | "live"

export interface App {
  readonly app_id: string
  readonly account_id: string
  readonly name: string
  readonly environment: Environment
  readonly expose_relational_numerics: boolean
  readonly version: number
  readonly created_at: Date
  /** Null: it is not suspended. See `Suspensions`. */
  readonly suspended_at: Date | null
  readonly suspended_reason: string | null
}

/** Missing fields stay as they are. Null resets to the default. */
export interface AppChange {
  readonly name?: string | undefined
  readonly environment?: Environment | undefined
  readonly expose_relational_numerics?: boolean | undefined
  /** The change is refused if the app is at another version. */
  readonly expected_version?: number | undefined
}

export interface NewApp {
  readonly appId?: string
  /** Default: the operator's account. */
  readonly accountId?: string
  readonly name: string
  readonly environment?: Environment
}

/** The account has reached its limit of apps. */
export class TooManyApps extends Schema.TaggedError<TooManyApps>()("TooManyApps", {}) {}

/** Apps, the tenants. Each belongs permanently to one account. */
export class Apps extends Context.Service<
  Apps,
  {
    /** With its first key. */
    readonly create: (
      app: NewApp & { /** Micro-USD per month. Null: no budget. */ readonly monthlyBudgetMicroUsd: number | null }
    ) => Effect.Effect<{ readonly appId: string; readonly key: MintedKey }, DatabaseError>
    /** Without a key, within the limit of its account. */
    readonly open: (app: NewApp & { readonly accountId: string }) => Effect.Effect<App, TooManyApps | DatabaseError>
    readonly get: (appId: string) => Effect.Effect<App | undefined, DatabaseError>
    /** The same within an account. Also undefined if the app belongs to another one. */
    readonly getOf: (accountId: string, appId: string) => Effect.Effect<App | undefined, DatabaseError>
    /** By id, those after `after`. Of all accounts if none is given. */
    readonly list: (filter: {
      readonly accountId: string | null
      readonly after: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<App>, DatabaseError>
    /** The ids of all apps of an account. */
    readonly idsOf: (accountId: string) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    /** Undefined: no such app. */
    readonly patch: (appId: string, patch: AppChange) => Effect.Effect<App | undefined, VersionConflict | DatabaseError>
  }
>()("src/db/tenancy/Apps") {
  static readonly layer = Layer.effect(
    Apps,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const cell = yield* Cell
      const record = auditing(database)

      const columns = (
        sql: Sql
      ) => sql`apps.app_id, apps.account_id, apps.name, apps.environment, apps.expose_relational_numerics, apps.version,
      apps.created_at,
      (select since from telegram_holds h where h.scope = apps.app_id and h.kind = 'app'
        and h.released_at is null) as suspended_at,
      (select reason from telegram_holds h where h.scope = apps.app_id and h.kind = 'app'
        and h.released_at is null) as suspended_reason`

      const insert = Effect.fnUntraced(function* ({
        appId = newId("app"),
        accountId = OPERATOR,
        name,
        environment = "live"
      }: NewApp) {
        const [app] = yield* query<[App]>(
          (sql) => sql`
        insert into apps (app_id, account_id, name, environment)
          values (${appId}, ${accountId}, ${name}, ${environment}) returning ${columns(sql)}`
        )
        yield* record({ accountId, action: "app.created", appId, detail: { name, environment } })
        return app
      })

      const create = Effect.fnUntraced(function* ({
        monthlyBudgetMicroUsd,
        ...given
      }: Parameters<Context.Service.Shape<typeof Apps>["create"]>[0]) {
        const { app_id: appId, account_id: accountId } = yield* insert(given)
        if (monthlyBudgetMicroUsd !== null) {
          yield* query(
            (sql) => sql`
          insert into allowances (app_id, kind, monthly_limit_micro_usd)
            values (${appId}, 'app', ${monthlyBudgetMicroUsd})`
          )
          yield* record({
            accountId,
            action: "caps.updated",
            appId,
            detail: { monthly_limit_micro_usd: monthlyBudgetMicroUsd }
          })
        }
        const key = mintApiKey(cell)
        yield* query(
          (sql) =>
            sql`insert into api_keys (prefix, app_id, name, secret_hash)
              values (${key.prefix}, ${appId}, 'first key', ${key.secretHash})`
        )
        yield* record({
          accountId,
          action: "api_key.created",
          appId,
          subject: key.prefix,
          detail: { name: "first key" }
        })
        return { appId, key }
      }, transaction)

      const open = Effect.fnUntraced(function* (given: NewApp & { readonly accountId: string }) {
        yield* query((sql) => sql`select 1 from accounts where account_id = ${given.accountId} for no key update`)
        const [{ count }] = yield* query<[{ count: number }]>(
          (sql) => sql`select count(*)::int as count from apps where account_id = ${given.accountId}`
        )
        return count < MAX_APPS ? yield* insert(given) : yield* new TooManyApps()
      }, transaction)

      const get = (appId: string) =>
        query<Array<App>>((sql) => sql`select ${columns(sql)} from apps where app_id = ${appId}`).pipe(
          Effect.map((rows) => rows[0])
        )
      const getOf = (accountId: string, appId: string) =>
        query<Array<App>>(
          (sql) => sql`select ${columns(sql)} from apps where account_id = ${accountId} and app_id = ${appId}`
        ).pipe(Effect.map((rows) => rows[0]))

      const patch = Effect.fnUntraced(function* (
        appId: string,
        { name, environment, expose_relational_numerics: expose, expected_version }: AppChange
      ) {
        const [changed] = yield* query<Array<App>>(
          (sql) => sql`
        update apps set version = version + 1,
          name = coalesce(${name ?? null}, name), environment = coalesce(${environment ?? null}, environment),
          expose_relational_numerics = ${expose ?? sql`expose_relational_numerics`}
        where app_id = ${appId} and (${expected_version ?? null}::int is null
          or version = ${expected_version ?? null}) returning ${columns(sql)}`
        )
        if (changed !== undefined) {
          yield* record({
            accountId: changed.account_id,
            action: "app.updated",
            appId,
            detail: { name, environment, expose_relational_numerics: expose, version: changed.version }
          })
          return changed
        }
        const present = yield* get(appId)
        return present === undefined ? undefined : yield* new VersionConflict({ current: present.version })
      }, transaction)

      return Apps.of({
        create,
        open,
        get,
        getOf,
        idsOf: (accountId) =>
          query<Array<{ app_id: string }>>((sql) => sql`select app_id from apps where account_id = ${accountId}`).pipe(
            Effect.map((rows) => rows.map((row) => row.app_id))
          ),
        list: ({ accountId, after, limit }) =>
          query<Array<App>>(
            (sql) => sql`
          select ${columns(sql)} from apps
            where account_id = coalesce(${accountId}::text, account_id)
              and account_id <> ${SHADOW_ACCOUNT} and (${after}::text is null or app_id > ${after})
          order by app_id limit ${limit}`
          ),
        patch
      })
    })
  )
}
