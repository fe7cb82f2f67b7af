import type postgres from "postgres"
import { newId } from "#pipeline/domain/Id.ts"
import { mint } from "#src/accounts/credential.ts"
import { ALL_SCOPES, type Scope } from "#src/accounts/scopes.ts"
import { TestApp } from "#test/support/TestApp.ts"

export interface TestAccount {
  readonly accountId: string
  readonly prefix: string
  /** A client with a token of the account. */
  readonly client: TestApp
}

/** A token of an account, by default of a new one, inserted directly. */
export const createAccountIn = async (
  { baseUrl, database: { sql } }: { readonly baseUrl: string; readonly database: { readonly sql: postgres.Sql } },
  { scopes = ALL_SCOPES, accountId }: { readonly scopes?: ReadonlyArray<Scope>; readonly accountId?: string } = {}
): Promise<TestAccount> => {
  const id = accountId ?? newId("acc")
  if (accountId === undefined)
    await sql`insert into accounts (account_id, kind, issuer, subject, name)
      values (${id}, 'person', 'test', ${id}, 'Ada')`
  const { secret, prefix, secretHash } = mint("lat_")
  await sql`
    insert into account_tokens (prefix, account_id, client_name, scopes, secret_hash, expires_at)
    values (${prefix}, ${id}, 'test', ${[...scopes]}::text[], ${secretHash}, now() + interval '30 days')`
  return { accountId: id, prefix, client: new TestApp(baseUrl, "", secret) }
}
