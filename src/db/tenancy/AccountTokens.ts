import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mint } from "#src/accounts/credential.ts"
import type { Scope } from "#src/accounts/scopes.ts"
import { auditing } from "./auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** Contract 8. */
const LIFETIME = "30 days"
/** last_used_at is only updated if it is older than this. */
const USE_WRITTEN_EVERY = "1 minute"

export interface AccountToken {
  readonly prefix: string
  readonly client_name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
}

/** A token with what authentication needs. */
export interface StoredToken extends AccountToken {
  readonly account_id: string
  readonly secret_hash: Buffer
  /** Revoked or expired. */
  readonly ended: boolean
  readonly use_unwritten: boolean
}

/** Account access tokens: a client acts for the person who approved it, within scopes. */
export class AccountTokens extends Context.Service<
  AccountTokens,
  {
    readonly issue: (token: {
      readonly accountId: string
      readonly clientName: string
      readonly scopes: ReadonlyArray<Scope>
    }) => Effect.Effect<AccountToken & { readonly secret: string }, DatabaseError>
    /** The account's valid tokens, oldest first. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<AccountToken>, DatabaseError>
    /** Revokes a token immediately and permanently. Idempotent. False: the account has no such token. */
    readonly revoke: (accountId: string, prefix: string) => Effect.Effect<boolean, DatabaseError>
    readonly find: (prefix: string) => Effect.Effect<StoredToken | undefined, DatabaseError>
    /** Records that a token is used, unless that was done within the last minute. */
    readonly used: (prefix: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/tenancy/AccountTokens") {
  static readonly layer = Layer.effect(
    AccountTokens,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const issue = Effect.fnUntraced(function* ({
        accountId,
        clientName,
        scopes
      }: {
        readonly accountId: string
        readonly clientName: string
        readonly scopes: ReadonlyArray<Scope>
      }) {
        const { secret, prefix, secretHash } = mint("lat_")
        const [token] = yield* query<[AccountToken]>(
          (sql) => sql`
        insert into account_tokens (prefix, account_id, client_name, scopes, secret_hash, expires_at)
        values (${prefix}, ${accountId}, ${clientName}, ${scopes}::text[], ${secretHash}, now() + ${LIFETIME}::interval)
        returning prefix, client_name, array_to_json(scopes) as scopes, created_at, expires_at, last_used_at`
        )
        yield* record({
          accountId,
          action: "account_token.issued",
          subject: prefix,
          detail: { client_name: clientName, scopes }
        })
        return { ...token, secret }
      }, transaction)

      const revoke = Effect.fnUntraced(function* (accountId: string, prefix: string) {
        const [found] = yield* query<Array<{ revoked_at: Date | null }>>(
          (sql) => sql`
        select revoked_at from account_tokens where account_id = ${accountId} and prefix = ${prefix} for update`
        )
        if (found === undefined) return false
        if (found.revoked_at !== null) return true
        yield* query(
          (sql) =>
            sql`update account_tokens set revoked_at = now() where account_id = ${accountId} and prefix = ${prefix}`
        )
        yield* record({ accountId, action: "account_token.revoked", subject: prefix })
        return true
      }, transaction)

      return AccountTokens.of({
        issue,
        list: (accountId) =>
          query<Array<AccountToken>>(
            (sql) => sql`
          select prefix, client_name, array_to_json(scopes) as scopes, created_at, expires_at, last_used_at
            from account_tokens
          where account_id = ${accountId} and revoked_at is null and expires_at > now() order by created_at, prefix`
          ),
        revoke,
        find: (prefix) =>
          query<Array<StoredToken>>(
            (sql) => sql`
          select prefix, account_id, client_name, array_to_json(scopes) as scopes, created_at, expires_at,
            last_used_at, secret_hash,
            revoked_at is not null or expires_at <= now() as ended, last_used_at is null
              or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval as use_unwritten
          from account_tokens where prefix = ${prefix}`
          ).pipe(Effect.map((rows) => rows[0])),
        used: (prefix) =>
          query(
            (sql) => sql`
          update account_tokens set last_used_at = now()
            where prefix = ${prefix} and (last_used_at is null
              or last_used_at < now() - ${USE_WRITTEN_EVERY}::interval)`
          ).pipe(Effect.asVoid)
      })
    })
  )
}
