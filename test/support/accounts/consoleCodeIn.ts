import type postgres from "postgres"
import { mint } from "#src/accounts/credential.ts"

/** A code of a console link, inserted directly. `troupe console` prints such a link. */
export const consoleCodeIn = async ({
  database: { sql }
}: {
  readonly database: { readonly sql: postgres.Sql }
}): Promise<string> => {
  const { secret, prefix, secretHash } = mint("oc_")
  await sql`
    insert into console_codes (prefix, secret_hash, expires_at)
    values (${prefix}, ${secretHash}, now() + interval '5 minutes')`
  return secret
}
