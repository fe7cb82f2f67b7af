import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomBytes } from "node:crypto"
import { CurrentActor } from "#src/accounts/Actor.ts"
import type { Scope } from "#src/accounts/scopes.ts"
import { auditing } from "./auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { hashOf } from "./DeviceCodes.ts"

/** What a person is asked to approve, and the account that they are signed in with. */
export interface Approval {
  readonly client_name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Null: not signed in yet. */
  readonly account: { readonly name: string | null; readonly email: string | null } | null
}

export type Decision = "approved" | "denied"

const newCookie = () => randomBytes(32).toString("base64url")

/** A browser's steps from a user code to a decision. A cookie identifies the browser, and only its hash is stored. */
export class DeviceApprovals extends Context.Service<
  DeviceApprovals,
  {
    /** The cookie for a browser that has entered a user code. Undefined: the code is not waiting for a decision. */
    readonly begin: (userCode: string) => Effect.Effect<string | undefined, DatabaseError>
    /** Undefined: the cookie is invalid, or there is nothing left to decide. */
    readonly get: (cookie: string) => Effect.Effect<Approval | undefined, DatabaseError>
    /** Records the sign-in. Returns a new cookie that replaces this one, which becomes invalid. */
    readonly signedIn: (cookie: string, accountId: string) => Effect.Effect<string | undefined, DatabaseError>
    /** Decides, once. Undefined: nobody has signed in, or there is nothing left to decide. */
    readonly decide: (
      cookie: string,
      decision: Decision
    ) => Effect.Effect<{ readonly client_name: string } | undefined, DatabaseError>
  }
>()("src/db/tenancy/DeviceApprovals") {
  static readonly layer = Layer.effect(
    DeviceApprovals,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const begin = Effect.fnUntraced(function* (userCode: string) {
        const cookie = newCookie()
        const begun = yield* query(
          (sql) => sql`
        insert into device_sign_ins (cookie_hash, device_code_hash)
        select ${hashOf(cookie)}, device_code_hash from device_codes
        where user_code_hash = ${hashOf(userCode)} and status = 'pending' and expires_at > now() returning 1`
        )
        return begun.length === 0 ? undefined : cookie
      })

      const get = (cookie: string) =>
        query<
          Array<Omit<Approval, "account"> & { account_id: string | null; name: string | null; email: string | null }>
        >(
          (sql) => sql`
        select d.client_name, array_to_json(d.scopes) as scopes, s.account_id, a.name, a.email
        from device_sign_ins s join device_codes d using (device_code_hash) left
          join accounts a on a.account_id = s.account_id
        where s.cookie_hash = ${hashOf(cookie)} and d.status = 'pending' and d.expires_at > now()`
        ).pipe(
          Effect.map(([row]): Approval | undefined => {
            if (row === undefined) return undefined
            const { client_name, scopes, account_id, name, email } = row
            return { client_name, scopes, account: account_id === null ? null : { name, email } }
          })
        )

      const signedIn = Effect.fnUntraced(function* (cookie: string, accountId: string) {
        const next = newCookie()
        const moved = yield* query(
          (sql) => sql`
        update device_sign_ins set cookie_hash =
          ${hashOf(next)}, account_id = ${accountId} where cookie_hash = ${hashOf(cookie)} returning 1`
        )
        return moved.length === 0 ? undefined : next
      })

      const decide = Effect.fnUntraced(
        function* (cookie: string, decision: Decision) {
          const [decided] = yield* query<
            Array<{ device_code_hash: Buffer; client_name: string; scopes: ReadonlyArray<Scope>; account_id: string }>
          >(
            (sql) => sql`
        update device_codes d set status = ${decision}, account_id = s.account_id from device_sign_ins s
        where s.cookie_hash = ${hashOf(cookie)} and s.device_code_hash = d.device_code_hash and s.account_id is not null
          and d.status = 'pending' and d.expires_at > now()
        returning d.device_code_hash, d.client_name, array_to_json(d.scopes) as scopes, d.account_id`
          )
          if (decided === undefined) return undefined
          const { device_code_hash, client_name, scopes, account_id: accountId } = decided
          yield* query((sql) => sql`delete from device_sign_ins where device_code_hash = ${device_code_hash}`)
          yield* record({ accountId, action: `device.${decision}`, detail: { client_name, scopes } })
          return { client_name }
        },
        transaction,
        Effect.provideService(CurrentActor, { kind: "person", id: null })
      )

      return DeviceApprovals.of({ begin, get, signedIn, decide })
    })
  )
}
