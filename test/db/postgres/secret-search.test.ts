import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mint } from "#src/accounts/credential.ts"
import { newUserCode } from "#src/accounts/userCode.ts"
import { secretsIn, tablesWithSecrets } from "#test/support/hostile/findSecrets.ts"
import { misspelt } from "#test/support/hostile/misspelt.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe("the search for leaked secrets that every test ends with", () => {
  const secrets: ReadonlyArray<readonly [string, string]> = [
    ["a runtime key", mint("ck_").secret],
    ["an account token", mint("lat_").secret],
    ["a device code", mint("dc_").secret],
    ["a user code", newUserCode()],
    ["a webhook secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ["a bot token", "4839574812:AAFD39kkdpWt3ywyRZergyOLMaJhac60qcg"]
  ]
  it.each(secrets)("finds %s in a text, a stored response, a job and bytes", async (_, secret) => {
    const { sql } = database
    assert.deepStrictEqual(secretsIn(`{"api_key":"${secret}"}`), [secret])
    await sql`insert into idempotency_keys (app_id, path, key, body_hash, response) values ('app_1', '/', 'k', '\\x00',
      ${sql.json({ secret })})`
    assert.deepStrictEqual(await tablesWithSecrets(sql), ["idempotency_keys"])
    await sql`update idempotency_keys set response = null, body_hash = convert_to(${secret}, 'UTF8')`
    assert.deepStrictEqual(await tablesWithSecrets(sql), ["idempotency_keys"])
    await sql`delete from idempotency_keys`
    await sql`select graphile_worker.add_job('nothing', ${JSON.stringify({ secret })}::text::json)`
    assert.deepStrictEqual(await tablesWithSecrets(sql), ["_private_jobs"])
    await sql`delete from graphile_worker._private_jobs`
    assert.deepStrictEqual(await tablesWithSecrets(sql), [])
  })

  it("ignores look-alikes: a key without its checksum, a prefix, words in capitals", () => {
    assert.deepStrictEqual(
      secretsIn(`${misspelt(mint("ck_").secret)} ${mint("lat_").prefix} NAMES-LIKE THIS-ONE BCDF-GHJKL`),
      []
    )
  })
})
