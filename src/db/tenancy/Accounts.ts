import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { auditing } from "./auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export interface Account {
  readonly account_id: string
  readonly kind: string
  readonly name: string | null
  readonly email: string | null
  readonly created_at: Date
}

/** A person as an identity provider identifies them: only by issuer and subject. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
  readonly email: string | null
}

/** Accounts, the owners of apps. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly get: (accountId: string) => Effect.Effect<Account | undefined, DatabaseError>
    /** The person's account, created on their first sign-in. Name and email are updated from the provider. */
    readonly signIn: (person: Person) => Effect.Effect<Account, DatabaseError>
  }
>()("src/db/tenancy/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)

      const signIn = Effect.fnUntraced(
        function* ({ issuer, subject, name, email }: Person) {
          const accountId = newId("acc")
          const [account] = yield* query<[Account]>(
            (sql) => sql`
        insert into accounts (account_id, kind, issuer, subject, name, email)
          values (${accountId}, 'person', ${issuer}, ${subject}, ${name}, ${email})
        on conflict (issuer, subject) do update set name = excluded.name, email = excluded.email
        returning account_id, kind, name, email, created_at`
          )
          if (account.account_id === accountId)
            yield* record({ accountId, action: "account.created", detail: { issuer } })
          return account
        },
        transaction,
        Effect.provideService(CurrentActor, { kind: "person", id: null })
      )

      return Accounts.of({
        get: (accountId) =>
          query<Array<Account>>(
            (sql) => sql`select account_id, kind, name, email, created_at from accounts where account_id = ${accountId}`
          ).pipe(Effect.map((rows) => rows[0])),
        signIn
      })
    })
  )
}
