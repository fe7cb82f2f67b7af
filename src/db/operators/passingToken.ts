import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mint } from "#src/accounts/credential.ts"
import { Database } from "#src/db/postgres/Database.ts"

/** A command that was killed leaves its token behind. It ends by itself. */
const ENDS_AFTER = "1 day"

/**
 * A viewer's token for one command, deleted with the scope. It is not audited: someone who can reach the database can
 * already read everything that a viewer sees, and the token changes nothing.
 */
export const passingToken = (name: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.gen(function* () {
        const { query } = yield* Database
        const { secret, prefix, secretHash } = mint("op_")
        yield* query(
          (sql) => sql`
          insert into operator_tokens (prefix, name, role, secret_hash, expires_at)
          values (${prefix}, ${name}, 'viewer', ${secretHash}, now() + ${ENDS_AFTER}::interval)`
        )
        return { secret, prefix }
      }),
      ({ prefix }) =>
        Effect.ignore(
          Database.use(({ query }) => query((sql) => sql`delete from operator_tokens where prefix = ${prefix}`))
        )
    ),
    ({ secret }) => Redacted.make(secret, { label: "operator token" })
  )
