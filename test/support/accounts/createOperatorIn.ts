import type postgres from "postgres"
import { createHmac } from "node:crypto"
import { mint } from "#src/accounts/credential.ts"
import type { OperatorRole } from "#src/accounts/Operator.ts"
import { TestApp } from "#test/support/TestApp.ts"

interface Where {
  readonly baseUrl: string
  readonly database: { readonly sql: postgres.Sql }
}

/** A client with an operator token of this role, inserted directly. */
export const createOperatorIn = async ({ baseUrl, database: { sql } }: Where, role: OperatorRole): Promise<TestApp> => {
  const { secret, prefix, secretHash } = mint("op_")
  await sql`
    insert into operator_tokens (prefix, name, role, secret_hash, expires_at)
    values (${prefix}, ${`test ${role}`}, ${role}, ${secretHash}, now() + interval '30 days')`
  return new TestApp(baseUrl, "", secret)
}

export interface TestSession {
  readonly prefix: string
  /** The headers of the session's browser, without its CSRF token. */
  readonly headers: { readonly cookie: string }
  readonly csrf: string
  readonly request: (
    method: string,
    path: string,
    init?: { readonly body?: string | URLSearchParams; readonly headers?: Record<string, string> }
  ) => Promise<Response>
}

/** A browser that is signed in with this role, inserted directly. */
export const createOperatorSessionIn = async (
  { baseUrl, database: { sql } }: Where,
  role: OperatorRole,
  operatorId = `test ${role}`
): Promise<TestSession> => {
  const { secret, prefix, secretHash } = mint("os_")
  await sql`
    insert into operator_sessions (prefix, secret_hash, operator_id, name, role, method, address, expires_at)
    values (${prefix}, ${secretHash}, ${operatorId}, ${operatorId}, ${role}, 'code', '127.0.0.1',
      now() + interval '12 hours')`
  const headers = { cookie: `troupe-operator=${secret}` }
  return {
    prefix,
    headers,
    csrf: createHmac("sha256", secret).update("csrf").digest("base64url"),
    request: (method, path, init = {}) =>
      fetch(baseUrl + path, { method, redirect: "manual", ...init, headers: { ...init.headers, ...headers } })
  }
}
