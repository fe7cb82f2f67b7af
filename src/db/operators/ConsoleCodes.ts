import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mint, read } from "#src/accounts/credential.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export const CODE_MINUTES = 5

/**
 * One-time codes of console links. Who can write to the database can make one, and is therefore an owner. Only the hash
 * is stored, and any process can redeem it.
 */
export class ConsoleCodes extends Context.Service<
  ConsoleCodes,
  {
    /** A new code. */
    readonly create: Effect.Effect<string, DatabaseError>
    /** Redeems a code, once. False: it is not valid, or no longer. */
    readonly redeem: (code: string) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/operators/ConsoleCodes") {
  static readonly layer = Layer.effect(
    ConsoleCodes,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)
      return ConsoleCodes.of({
        create: Effect.gen(function* () {
          const { secret, prefix, secretHash } = mint("oc_")
          yield* query(
            (sql) => sql`
            insert into console_codes (prefix, secret_hash, expires_at)
            values (${prefix}, ${secretHash}, now() + ${CODE_MINUTES}::int * interval '1 minute')`
          )
          yield* record({ action: "console_link.created", subject: prefix })
          return secret
        }).pipe(transaction),
        redeem: Effect.fnUntraced(function* (code: string) {
          const given = read("oc_", code)
          if (given === null) return false
          // Of two requests with the same code, one deletes the row.
          const [stored] = yield* query<Array<{ is_valid: boolean }>>(
            (sql) => sql`
            delete from console_codes where prefix = ${given.prefix} and secret_hash = ${given.secretHash}
            returning expires_at > now() as is_valid`
          )
          return stored?.is_valid === true
        })
      })
    })
  )
}
