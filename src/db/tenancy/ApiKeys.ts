import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type MintedKey, mintApiKey } from "#src/accounts/apiKey.ts"
import { Cell } from "#src/accounts/cell.ts"
import { auditing } from "./auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { isSuspended } from "./isSuspended.ts"
import type { KeyKind, StoredKey } from "./StoredKey.ts"

/** Maximum number of valid keys per app. */
export const MAX_KEYS = 100
/** The notification channel for ended keys. */
export const KEY_ENDED = "troupe_key_ended"
/** last_used_at is only updated if it is older than this. */
const USE_WRITTEN_EVERY = "1 minute"

export interface ApiKey {
  readonly prefix: string
  readonly name: string
  readonly status: "active" | "expired" | "revoked"
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  /** Accurate to a minute. */
  readonly last_used_at: Date | null
  readonly replaced_by: string | null
}

export interface NewKey {
  readonly name: string
  readonly expiresAt?: Date | null
  readonly kind?: KeyKind
}

/** `too_many`: the app has the maximum number of keys. `ended`: the key is already revoked, expired or rotated. */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", {
  reason: Schema.Literals(["too_many", "ended"])
}) {}

/** A key of one app, or of any app for the operator. */
export interface KeyRef {
  readonly appId?: string
  readonly prefix: string
}

/** Runtime keys of apps. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Undefined: no such app. */
    readonly create: (
      appId: string,
      key: NewKey
    ) => Effect.Effect<{ readonly minted: MintedKey; readonly key: ApiKey } | undefined, KeyRefused | DatabaseError>
    /** In order of creation, those after the key with the prefix `after`. */
    readonly list: (
      appId: string,
      page: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ApiKey>, DatabaseError>
    readonly get: (ref: KeyRef) => Effect.Effect<ApiKey | undefined, DatabaseError>
    /**
     * Creates a key that replaces another one, which ends after the grace period: at once if that is 0. Undefined: no
     * such key.
     */
    readonly rotate: (
      ref: KeyRef,
      graceSeconds: number
    ) => Effect.Effect<
      | { readonly appId: string; readonly minted: MintedKey; readonly key: ApiKey; readonly replaced: ApiKey }
      | undefined,
      KeyRefused | DatabaseError
    >
    /** Revokes a key immediately and permanently. Idempotent. Undefined: no such key. */
    readonly revoke: (ref: KeyRef) => Effect.Effect<ApiKey | undefined, DatabaseError>
    /** The currently valid ones of these keys, by prefix. Keys of suspended apps are not valid. */
    readonly valid: (prefixes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    readonly find: (prefix: string) => Effect.Effect<StoredKey | undefined, DatabaseError>
    /** The cell that the app of this key has moved to. Undefined: it is no key of an app that has moved away. */
    readonly movedTo: (prefix: string) => Effect.Effect<string | undefined, DatabaseError>
    /**
     * Calls `listener` with the prefix of each key that is ended, or suspended with its app, in this process or
     * elsewhere (through `KeyEndingListener`). The returned function unsubscribes.
     */
    readonly onEnd: (listener: (prefix: string) => void) => () => void
    readonly ended: (prefix: string) => void
    /** Records that a key is used, unless that was done within the last minute. */
    readonly used: (prefix: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction, afterCommit } = database
      const cell = yield* Cell
      const record = auditing(database)
      const listeners = new Set<(prefix: string) => void>()
      const ended = (prefix: string) => {
        for (const listener of listeners) listener(prefix)
      }
      /** Notifies all processes after the commit. */
      const tellEnded = (prefix: string) =>
        Effect.andThen(
          query((sql) => sql`select pg_notify(${KEY_ENDED}, ${prefix})`),
          afterCommit(() => ended(prefix))
        )

      const columns = (sql: Parameters<Parameters<typeof query>[0]>[0]) => sql`
      prefix, name, created_at, expires_at, revoked_at, last_used_at, replaced_by,
      case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active'
        end as status`

      const get = ({ appId, prefix }: KeyRef) =>
        query<Array<ApiKey>>(
          (sql) => sql`
        select ${columns(sql)} from api_keys
          where prefix = ${prefix} and (${appId ?? null}::text is null or app_id = ${appId ?? null})`
        ).pipe(Effect.map((rows) => rows[0]))

      const accountOf = (appId: string) =>
        query<Array<{ account_id: string }>>(
          (sql) => sql`select account_id from apps where app_id = ${appId} for no key update`
        ).pipe(Effect.map((rows) => rows[0]?.account_id))

      /** The caller holds the lock on the app's row. */
      const requireRoom = Effect.fnUntraced(function* (appId: string) {
        const [{ count }] = yield* query<[{ count: number }]>(
          (sql) => sql`
        select count(*)::int as count from api_keys
          where app_id = ${appId} and revoked_at is null and (expires_at is null or expires_at > now())`
        )
        if (count >= MAX_KEYS) return yield* new KeyRefused({ reason: "too_many" })
      })

      const insert = Effect.fnUntraced(function* (appId: string, { name, expiresAt = null, kind = "runtime" }: NewKey) {
        yield* requireRoom(appId)
        const minted = mintApiKey(cell)
        const [key] = yield* query<[ApiKey]>(
          (sql) => sql`
        insert into api_keys (prefix, app_id, name, kind, secret_hash, expires_at)
          values (${minted.prefix}, ${appId}, ${name}, ${kind}, ${minted.secretHash}, ${expiresAt})
        returning ${columns(sql)}`
        )
        return { minted, key }
      })

      const create = Effect.fnUntraced(function* (appId: string, given: NewKey) {
        const accountId = yield* accountOf(appId)
        if (accountId === undefined) return undefined
        const made = yield* insert(appId, given)
        yield* record({
          accountId,
          action: "api_key.created",
          appId,
          subject: made.key.prefix,
          detail: { name: made.key.name, expires_at: made.key.expires_at }
        })
        return made
      }, transaction)

      /** Locks the app's row and returns the key with its app and account. */
      const held = Effect.fnUntraced(function* ({ appId, prefix }: KeyRef) {
        const [ref] = yield* query<Array<{ app_id: string }>>(
          (sql) => sql`
        select app_id from api_keys where prefix =
          ${prefix} and (${appId ?? null}::text is null or app_id = ${appId ?? null})`
        )
        if (ref === undefined) return undefined
        const accountId = yield* accountOf(ref.app_id)
        const key = yield* get({ prefix })
        return accountId === undefined || key === undefined ? undefined : { appId: ref.app_id, accountId, key }
      })

      const rotate = Effect.fnUntraced(function* (ref: KeyRef, graceSeconds: number) {
        const old = yield* held(ref)
        if (old === undefined) return undefined
        const { appId, accountId } = old
        const { prefix, status, expires_at: expiresAt, replaced_by } = old.key
        if (status !== "active" || replaced_by !== null) return yield* new KeyRefused({ reason: "ended" })
        if (graceSeconds > 0) yield* requireRoom(appId)
        const next = mintApiKey(cell)
        const [replaced] = yield* query<[ApiKey]>(
          (sql) => sql`
        update api_keys set replaced_by = ${next.prefix}, revoked_at = ${graceSeconds === 0 ? sql`now()` : null},
          expires_at = least(expires_at, now() + ${graceSeconds}::int * interval '1 second')
        where prefix = ${prefix} returning ${columns(sql)}`
        )
        const [key] = yield* query<[ApiKey]>(
          (sql) => sql`
        insert into api_keys (prefix, app_id, name, kind, secret_hash, expires_at)
        select ${next.prefix}, app_id, name, kind,
          ${next.secretHash}, ${expiresAt} from api_keys where prefix = ${prefix}
        returning ${columns(sql)}`
        )
        if (graceSeconds === 0) yield* tellEnded(prefix)
        yield* record({
          accountId,
          action: "api_key.rotated",
          appId,
          subject: prefix,
          detail: {
            replaced_by: key.prefix,
            grace_seconds: graceSeconds,
            before: { status, expires_at: expiresAt },
            after: { status: replaced.status, expires_at: replaced.expires_at }
          }
        })
        return { appId, minted: next, key, replaced }
      }, transaction)

      const revoke = Effect.fnUntraced(function* (ref: KeyRef) {
        const found = yield* held(ref)
        if (found === undefined || found.key.status === "revoked") return found?.key
        const {
          appId,
          accountId,
          key: { prefix, name, status }
        } = found
        const [revoked] = yield* query<[ApiKey]>(
          (sql) => sql`update api_keys set revoked_at = now() where prefix = ${prefix} returning ${columns(sql)}`
        )
        yield* tellEnded(prefix)
        yield* record({
          accountId,
          action: "api_key.revoked",
          appId,
          subject: prefix,
          detail: { before: { name, status }, after: { name, status: revoked.status } }
        })
        return revoked
      }, transaction)

      return ApiKeys.of({
        create,
        list: (appId, { after, limit }) =>
          query<Array<ApiKey>>(
            (sql) => sql`
          select ${columns(sql)} from api_keys where app_id = ${appId}
            and (${after}::text is null or (created_at, prefix) > (select created_at, prefix from api_keys
              where app_id = ${appId} and prefix = ${after}))
          order by created_at, prefix limit ${limit}`
          ),
        get,
        rotate,
        revoke,
        valid: (prefixes) =>
          query<Array<{ prefix: string }>>(
            (sql) => sql`
          select prefix from api_keys where prefix =
            any(${prefixes}::text[]) and revoked_at is null and (expires_at is null or expires_at > now())
            and not (${isSuspended(sql, sql`app_id`)})`
          ).pipe(Effect.map((rows) => rows.map((row) => row.prefix))),
        find: (prefix) =>
          query<Array<StoredKey>>(
            (sql) => sql`
          select k.app_id, k.kind, k.secret_hash, k.revoked_at is not null as revoked,
            h.scope is not null as suspended, h.reason as suspended_reason, m.reason as moving_to,
            coalesce(expires_at <= now(),
              false) as expired,
            last_used_at is null or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval as use_unwritten
          from api_keys k left join telegram_holds h on h.scope = k.app_id and h.kind = 'app' and h.released_at is null
            left join telegram_holds m on m.scope = k.app_id and m.kind = 'move' and m.released_at is null
            where k.prefix = ${prefix}`
          ).pipe(Effect.map((rows) => rows[0])),
        movedTo: (prefix) =>
          query<Array<{ cell: string }>>((sql) => sql`select cell from moved_keys where prefix = ${prefix}`).pipe(
            Effect.map((rows) => rows[0]?.cell)
          ),
        onEnd: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        ended,
        used: (prefix) =>
          query(
            (sql) => sql`
          update api_keys set last_used_at = now()
            where prefix = ${prefix} and (last_used_at is null
              or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval)`
          ).pipe(Effect.asVoid)
      })
    })
  )
}
