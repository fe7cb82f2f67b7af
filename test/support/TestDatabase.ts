import { randomBytes } from "node:crypto"
import postgres from "postgres"
import { assert, inject } from "vitest"
import { dropDatabase } from "./postgres/dropDatabase.ts"
import { tablesWithSecrets } from "./hostile/findSecrets.ts"
import { onDatabase } from "./postgres/onDatabase.ts"

export interface TestDatabase {
  readonly url: string
  /** A connection for inspection and manipulation. */
  readonly sql: postgres.Sql
  readonly drop: () => Promise<void>
}

/** One connection per process of tests creates and drops their databases. It closes while it is not needed. */
let admin: postgres.Sql | undefined

/** A new migrated database for this test. */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  const server = inject("postgresUrl")
  const name = `test_${randomBytes(6).toString("hex")}`
  const on = (admin ??= postgres(server, { max: 1, idle_timeout: 5, fetch_types: false, onnotice: () => {} }))
  await on`create database ${on(name)} template troupe_template strategy file_copy`
  const url = onDatabase(server, name)
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  return {
    url,
    sql,
    drop: async () => {
      // Whatever a test has done, no issued secret may be readable in its database, including stored answers and job
      // payloads.
      const leaks = await tablesWithSecrets(sql)
      await sql.end({ timeout: 1 })
      await dropDatabase(on, name)
      assert.deepStrictEqual(leaks, [], "tables in which a secret can be read")
    }
  }
}
