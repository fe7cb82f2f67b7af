import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mint } from "#src/accounts/credential.ts"
import type { OperatorRole } from "#src/accounts/Operator.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** last_used_at is only updated if it is older than this. */
const USE_WRITTEN_EVERY = "1 minute"

export interface OperatorToken {
  readonly prefix: string
  readonly name: string
  readonly role: OperatorRole
  /** The operator who created it. Null: the command line. */
  readonly created_by: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}

/** A token with what authentication needs. */
export interface StoredOperatorToken {
  readonly name: string
  readonly role: OperatorRole
  readonly secret_hash: Buffer
  /** Revoked or expired. */
  readonly ended: boolean
  readonly use_unwritten: boolean
}

/** Bearers with which machines call /admin: named, with a role, expiring, revocable. */
export class OperatorTokens extends Context.Service<
  OperatorTokens,
  {
    readonly create: (token: {
      readonly name: string
      readonly role: OperatorRole
      readonly days: number
    }) => Effect.Effect<OperatorToken & { readonly secret: string }, DatabaseError>
    /** Newest first, those before `before`, including ended ones. */
    readonly list: (page: {
      readonly before: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OperatorToken>, DatabaseError>
    /** Revokes a token at once and permanently. Idempotent. Undefined: there is no such token. */
    readonly revoke: (prefix: string) => Effect.Effect<OperatorToken | undefined, DatabaseError>
    /** The currently valid ones of these, by prefix. */
    readonly valid: (prefixes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    readonly find: (prefix: string) => Effect.Effect<StoredOperatorToken | undefined, DatabaseError>
    /** Records that a token is used, unless that was done within the last minute. */
    readonly used: (prefix: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/OperatorTokens") {
  static readonly layer = Layer.effect(
    OperatorTokens,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const create = Effect.fnUntraced(function* (token: {
        readonly name: string
        readonly role: OperatorRole
        readonly days: number
      }) {
        const { name, role, days } = token
        const { id } = yield* CurrentActor
        const { secret, prefix, secretHash } = mint("op_")
        const [created] = yield* query<[OperatorToken]>(
          (sql) => sql`
          insert into operator_tokens (prefix, name, role, secret_hash, created_by, expires_at)
          values (${prefix}, ${name}, ${role}, ${secretHash}, ${id}, now() + ${days}::int * interval '1 day')
          returning prefix, name, role, created_by, created_at, expires_at, revoked_at, last_used_at`
        )
        yield* record({
          action: "operator_token.created",
          subject: prefix,
          detail: { name, role, expires_at: created.expires_at }
        })
        return { ...created, secret }
      }, transaction)

      const revoke = Effect.fnUntraced(function* (prefix: string) {
        const [found] = yield* query<Array<OperatorToken & { was: Date | null }>>(
          (sql) => sql`
          with old as (select prefix, revoked_at from operator_tokens where prefix = ${prefix} for update)
          update operator_tokens t set revoked_at = coalesce(t.revoked_at, now()) from old where t.prefix = old.prefix
          returning t.prefix, t.name, t.role, t.created_by, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
            old.revoked_at as was`
        )
        if (found === undefined) return undefined
        const { was, ...token } = found
        if (was === null)
          yield* record({
            action: "operator_token.revoked",
            subject: prefix,
            detail: { name: token.name, role: token.role }
          })
        return token
      }, transaction)

      return OperatorTokens.of({
        create,
        list: ({ before, limit }) =>
          query<Array<OperatorToken>>(
            (sql) => sql`
            select prefix, name, role, created_by, created_at, expires_at, revoked_at, last_used_at from operator_tokens
            ${
              before === null
                ? sql``
                : sql`where (created_at, prefix) <
                  (select created_at, prefix from operator_tokens where prefix = ${before})`
            }
            order by created_at desc, prefix desc limit ${limit}`
          ),
        revoke,
        valid: (prefixes) =>
          query<Array<{ prefix: string }>>(
            (sql) => sql`
            select prefix from operator_tokens
            where prefix = any(${prefixes}::text[]) and revoked_at is null and expires_at > now()`
          ).pipe(Effect.map((rows) => rows.map(({ prefix }) => prefix))),
        find: (prefix) =>
          query<Array<StoredOperatorToken>>(
            (sql) => sql`
            select name, role, secret_hash, revoked_at is not null or expires_at <= now() as ended,
              last_used_at is null or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval as use_unwritten
            from operator_tokens where prefix = ${prefix}`
          ).pipe(Effect.map((rows) => rows[0])),
        used: (prefix) =>
          query(
            (sql) => sql`
            update operator_tokens set last_used_at = now() where prefix = ${prefix}
              and (last_used_at is null or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval)`
          ).pipe(Effect.asVoid)
      })
    })
  )
}
