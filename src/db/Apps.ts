import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { type MintedKey, mintApiKey } from "#src/accounts/apiKey.ts"
import { Database, type DatabaseError } from "./Database.ts"
import { VersionConflict } from "./VersionConflict.ts"

export interface App {
  readonly app_id: string
  readonly name: string
  readonly expose_relational_numerics: boolean
  readonly version: number
  readonly created_at: Date
}

/** What is left out stays as it is; null is the default again. */
export interface AppChange {
  readonly name?: string | undefined
  readonly expose_relational_numerics?: boolean | null | undefined
  /** Refused when the app is not at this version. */
  readonly expected_version?: number | undefined
}

export interface StoredKey {
  readonly app_id: string
  readonly secret_hash: Buffer
  readonly revoked: boolean
}

export interface NewApp {
  readonly appId?: string
  readonly name: string
  /** Micro-USD a month; null: no budget. */
  readonly monthlyBudgetMicroUsd: number | null
}

/** Apps, the tenants of everything, and their runtime keys. */
export class Apps extends Context.Service<Apps, {
  readonly create: (app: NewApp) => Effect.Effect<{ readonly appId: string; readonly key: MintedKey }, DatabaseError>
  /** Null: no such app. */
  readonly createKey: (appId: string, name: string) => Effect.Effect<MintedKey | null, DatabaseError>
  readonly get: (appId: string) => Effect.Effect<App | undefined, DatabaseError>
  /** Undefined: no such app. */
  readonly patch: (appId: string, patch: AppChange) => Effect.Effect<App | undefined, VersionConflict | DatabaseError>
  /** Those of these keys, by prefix, that are there and not revoked. */
  readonly validKeys: (prefixes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
  /** Revokes a key for good; again is the same. False: no such key. */
  readonly revokeKey: (prefix: string) => Effect.Effect<boolean, DatabaseError>
  readonly findKey: (prefix: string) => Effect.Effect<StoredKey | undefined, DatabaseError>
}>()("src/db/Apps") {
  static readonly layer = Layer.effect(Apps, Effect.gen(function*() {
    const { query, transaction } = yield* Database

    const createKey = Effect.fnUntraced(function*(appId: string, name: string) {
      const key = mintApiKey()
      const rows = yield* query((sql) => sql`
        insert into api_keys (prefix, app_id, name, secret_hash)
        select ${key.prefix}, app_id, ${name}, ${key.secretHash} from apps where app_id = ${appId} returning 1`)
      return rows.length === 0 ? null : key
    })
    const create = Effect.fnUntraced(function*({ appId = newId("app"), name, monthlyBudgetMicroUsd }: NewApp) {
      const key = mintApiKey()
      yield* query((sql) => sql`insert into apps (app_id, name) values (${appId}, ${name})`)
      if (monthlyBudgetMicroUsd !== null) {
        yield* query((sql) => sql`
          insert into app_budgets (app_id, monthly_limit_micro_usd, month, used_micro_usd)
          values (${appId}, ${monthlyBudgetMicroUsd}, date_trunc('month', now() at time zone 'utc'), 0)`)
      }
      yield* query((sql) => sql`insert into api_keys (prefix, app_id, name, secret_hash) values (${key.prefix}, ${appId}, 'first key', ${key.secretHash})`)
      return { appId, key }
    }, transaction)

    const get = (appId: string) => query<Array<App>>((sql) => sql`select * from apps where app_id = ${appId}`).pipe(Effect.map((rows) => rows[0]))

    const patch = Effect.fnUntraced(function*(appId: string, { name, expose_relational_numerics: expose, expected_version }: AppChange) {
      const [changed] = yield* query<Array<App>>((sql) => sql`
        update apps set version = version + 1, name = coalesce(${name ?? null}, name),
          expose_relational_numerics = ${expose === undefined ? sql`expose_relational_numerics` : expose === null ? sql`default` : expose}
        where app_id = ${appId} and (${expected_version ?? null}::int is null or version = ${expected_version ?? null}) returning *`)
      if (changed !== undefined) return changed
      const present = yield* get(appId)
      return present === undefined ? undefined : yield* new VersionConflict({ current: present.version })
    }, transaction)

    return Apps.of({
      create,
      createKey,
      get,
      patch,
      validKeys: (prefixes) =>
        query<Array<{ prefix: string }>>((sql) => sql`select prefix from api_keys where prefix = any(${prefixes}::text[]) and revoked_at is null`).pipe(
          Effect.map((rows) => rows.map((row) => row.prefix))
        ),
      revokeKey: (prefix) =>
        query((sql) => sql`update api_keys set revoked_at = coalesce(revoked_at, now()) where prefix = ${prefix} returning 1`).pipe(
          Effect.map((rows) => rows.length > 0)
        ),
      findKey: (prefix) =>
        query<Array<StoredKey>>((sql) => sql`select app_id, secret_hash, revoked_at is not null as revoked from api_keys where prefix = ${prefix}`).pipe(
          Effect.map((rows) => rows[0])
        )
    })
  }))
}
