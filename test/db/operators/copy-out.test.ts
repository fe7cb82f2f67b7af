import type { Readable } from "node:stream"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

/** Sizes of the last row around those of the buffers of a stream and of a socket. */
const SIZES = [1, 16_000, 16_384, 65_530, 65_536, 200_000, 1_000_000, 4_000_000]

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url, 1)
})
afterAll(async () => {
  await pool.end({ timeout: 1 })
  await database.drop()
})

const copyOf = (rows: number, size: number) =>
  `copy (select repeat('x', ${size}) from generate_series(1, ${rows})) to stdout`
const read = async (rows: Readable): Promise<number> => {
  let bytes = 0
  for await (const chunk of rows) bytes += (chunk as Buffer).length
  return bytes
}

describe("rows that are streamed out of a table", () => {
  it.each(SIZES)("leave the connection able to answer, whatever the size of the last one: %i bytes", async (size) => {
    for (const rows of [1, 2, 7])
      await pool.begin(async (sql) => {
        assert.strictEqual(await read(await sql.unsafe(copyOf(rows, size)).readable()), rows * (size + 1))
        assert.deepStrictEqual([...(await sql`select 1 as one`)], [{ one: 1 }])
      })
  })

  it("are discarded if nobody reads on, and the connection answers", async () => {
    await pool.begin(async (sql) => {
      const rows = await sql.unsafe(copyOf(50, 1_000_000)).readable()
      for await (const chunk of rows) if ((chunk as Buffer).length > 0) break
      assert.isTrue(rows.destroyed)
      assert.deepStrictEqual([...(await sql`select 1 as one`)], [{ one: 1 }])
    })
  })
})
