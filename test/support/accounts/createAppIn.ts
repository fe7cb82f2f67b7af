import type postgres from "postgres"
import { newId } from "#pipeline/domain/Id.ts"
import { mintApiKey } from "#src/accounts/apiKey.ts"

/** An app with a key, inserted directly, for tests whose servers are other processes. */
export const createAppIn = async (sql: postgres.Sql): Promise<{ readonly appId: string; readonly key: string }> => {
  const appId = newId("app")
  const { apiKey, prefix, secretHash } = mintApiKey()
  await sql`insert into apps (app_id, name) values (${appId}, 'test')`
  await sql`insert into api_keys (prefix, app_id, name, secret_hash)
    values (${prefix}, ${appId}, 'test', ${secretHash})`
  return { appId, key: apiKey }
}
