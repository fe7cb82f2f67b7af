import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHmac } from "node:crypto"
import { mint } from "#src/accounts/credential.ts"
import type { OperatorRole } from "#src/accounts/Operator.ts"
import { type Actor, CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export const SESSION_HOURS = 12
/** last_used_at is only updated if it is older than this. */
const USE_WRITTEN_EVERY = "1 minute"
const MAX_USER_AGENT_CHARACTERS = 200

export type SignInMethod = "admin_token" | "code" | "issuer"

/** Who has signed in, and how. */
export interface SignedIn {
  readonly operatorId: string
  readonly name: string
  readonly role: OperatorRole
  readonly method: SignInMethod
  /** The setting that let them in: ADMIN_TOKEN or an entry of OPERATORS. Null: a one-time code. */
  readonly grounds: string | null
  readonly address: string
  readonly userAgent: string | null
}

export interface OperatorSession {
  readonly prefix: string
  readonly operator_id: string
  readonly name: string
  readonly role: OperatorRole
  readonly method: SignInMethod
  readonly address: string
  readonly user_agent: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date
}

/** A session with what authentication needs. */
export interface StoredSession extends Pick<OperatorSession, "operator_id" | "name" | "role"> {
  readonly secret_hash: Buffer
  readonly proof: Buffer | null
  /** Revoked or expired. */
  readonly ended: boolean
  readonly use_unwritten: boolean
}

/** What a session stores of the setting that let its operator in. Worthless to those who don't have the cookie. */
export const proofOf = (cookie: string, grounds: string): Buffer =>
  createHmac("sha256", cookie).update(grounds).digest()

/** Browsers that are signed in to the console. Only the hash of their cookie is stored. */
export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /** Begins a session and returns its cookie. `replaces`: the prefix of the session that the browser had. */
    readonly begin: (
      signedIn: SignedIn,
      replaces: string | null
    ) => Effect.Effect<{ readonly cookie: string; readonly prefix: string }, DatabaseError>
    /** The currently valid ones of these, by prefix. */
    readonly valid: (prefixes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, DatabaseError>
    readonly find: (prefix: string) => Effect.Effect<StoredSession | undefined, DatabaseError>
    /** Records that a session is used, unless that was done within the last minute. */
    readonly used: (prefix: string) => Effect.Effect<void, DatabaseError>
    /** Open sessions, newest first. `operatorId` null: of all operators. */
    readonly list: (filter: {
      readonly operatorId: string | null
      readonly before: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<OperatorSession>, DatabaseError>
    /** Ends a session at once. `operatorId` null: anybody's. Idempotent. False: there is no such session. */
    readonly revoke: (
      prefix: string,
      by: { readonly operatorId: string | null; readonly signOut: boolean }
    ) => Effect.Effect<boolean, DatabaseError>
    /** Whether somebody has signed in from an address within the last 30 days. */
    readonly knowsAddress: (address: string) => Effect.Effect<boolean, DatabaseError>
    /** Deletes sessions that ended 30 days ago, and codes that have expired. */
    readonly expire: Effect.Effect<void, DatabaseError>
  }
>()("src/db/operators/OperatorSessions") {
  static readonly layer = Layer.effect(
    OperatorSessions,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const end = (prefix: string) =>
        query((sql) => sql`update operator_sessions set revoked_at = now() where prefix = ${prefix}`)

      const begin = Effect.fnUntraced(function* (signedIn: SignedIn, replaces: string | null) {
        const { operatorId, name, role, method, grounds, address, userAgent } = signedIn
        const { secret, prefix, secretHash } = mint("os_")
        const proof = grounds === null ? null : proofOf(secret, grounds)
        yield* query(
          (sql) => sql`
          insert into operator_sessions (prefix, secret_hash, operator_id, name, role, method, proof, address,
            user_agent, expires_at)
          values (${prefix}, ${secretHash}, ${operatorId}, ${name}, ${role}, ${method}, ${proof}, ${address},
            ${userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null},
              now() + ${SESSION_HOURS}::int * interval '1 hour')`
        )
        if (replaces !== null) yield* end(replaces)
        const actor: Actor = { kind: "operator", id: operatorId, address, credential: prefix }
        yield* record({ action: "operator.signed_in", subject: prefix, detail: { method, role, name } }).pipe(
          Effect.provideService(CurrentActor, actor)
        )
        return { cookie: secret, prefix }
      }, transaction)

      const revoke = Effect.fnUntraced(function* (
        prefix: string,
        { operatorId, signOut }: { readonly operatorId: string | null; readonly signOut: boolean }
      ) {
        const [found] = yield* query<Array<{ operator_id: string; revoked_at: Date | null }>>(
          (sql) => sql`
          select operator_id, revoked_at from operator_sessions where prefix = ${prefix} for update`
        )
        if (found === undefined || (operatorId !== null && found.operator_id !== operatorId)) return false
        if (found.revoked_at !== null) return true
        yield* end(prefix)
        yield* record({
          action: signOut ? "operator.signed_out" : "operator_session.revoked",
          subject: prefix,
          detail: { operator: found.operator_id }
        })
        return true
      }, transaction)

      return OperatorSessions.of({
        begin,
        valid: (prefixes) =>
          query<Array<{ prefix: string }>>(
            (sql) => sql`
            select prefix from operator_sessions
            where prefix = any(${prefixes}::text[]) and revoked_at is null and expires_at > now()`
          ).pipe(Effect.map((rows) => rows.map(({ prefix }) => prefix))),
        find: (prefix) =>
          query<Array<StoredSession>>(
            (sql) => sql`
            select operator_id, name, role, secret_hash, proof, revoked_at is not null or expires_at <= now() as ended,
              last_used_at < now() - ${USE_WRITTEN_EVERY}::interval as use_unwritten
            from operator_sessions where prefix = ${prefix}`
          ).pipe(Effect.map((rows) => rows[0])),
        used: (prefix) =>
          query(
            (sql) => sql`
            update operator_sessions set last_used_at = now()
            where prefix = ${prefix} and last_used_at < now() - ${USE_WRITTEN_EVERY}::interval`
          ).pipe(Effect.asVoid),
        list: ({ operatorId, before, limit }) =>
          query<Array<OperatorSession>>(
            (sql) => sql`
            select prefix, operator_id, name, role, method, address, user_agent, created_at, expires_at, last_used_at
            from operator_sessions where revoked_at is null and expires_at > now()
            ${operatorId === null ? sql`` : sql`and operator_id = ${operatorId}`}
            ${
              before === null
                ? sql``
                : sql`and (created_at, prefix) <
                  (select created_at, prefix from operator_sessions where prefix = ${before})`
            }
            order by created_at desc, prefix desc limit ${limit}`
          ),
        revoke,
        knowsAddress: (address) =>
          query<Array<{ knows: boolean }>>(
            (sql) => sql`
            select exists(select from operator_sessions
              where address = ${address} and created_at > now() - interval '30 days') as knows`
          ).pipe(Effect.map(([row]) => row?.knows === true)),
        expire: Effect.gen(function* () {
          yield* query((sql) => sql`delete from operator_sessions where expires_at < now() - interval '30 days'`)
          yield* query((sql) => sql`delete from console_codes where expires_at < now()`)
        })
      })
    })
  )
}
