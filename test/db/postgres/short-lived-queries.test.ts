import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { retainedBytes } from "#test/support/effort/retainedBytes.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 2)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

describe("the memory of a query's parameters and results", () => {
  const times = 400
  const long = (n: number) => `${n} `.repeat(10_000)

  it("does not move to the old generation of the heap", async () => {
    const left = await retainedBytes({ times, each: (n) => pool`select ${long(n)}::text as echo` })
    assert.isBelow(left / times, 2000)
  })

  it("does not move there from a transaction either", async () => {
    const left = await retainedBytes({ times, each: (n) => pool.begin((sql) => sql`select ${long(n)}::text as echo`) })
    // It leaves about 2,000 bytes itself, and none of the 20,000 and more that are sent and received.
    assert.isBelow(left / times, 5000)
  })
})
