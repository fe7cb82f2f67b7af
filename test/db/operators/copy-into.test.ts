import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { copyInto } from "#src/db/operators/backup/copyInto.ts"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

let database: TestDatabase
let pool: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`create table copied (id int primary key)`
  pool = openPool(database.url, 1)
})
afterAll(async () => {
  await pool.end({ timeout: 1 })
  await database.drop()
})

async function* rows(...lines: ReadonlyArray<string>) {
  for (const line of lines) yield await Promise.resolve(Buffer.from(`${line}\n`))
}
const copy = (content: AsyncIterable<Buffer>) =>
  pool
    .begin((sql) => copyInto(sql, "copy copied (id) from stdin", content, new AbortController().signal))
    .then(
      () => "copied",
      (error: { readonly code?: string }) => error.code
    )

describe("rows that are streamed into a table", () => {
  it("are refused with the reason, whether PostgreSQL finds it at once or at the last row", async () => {
    assert.strictEqual(await copy(rows("1", "1")), "23505")
    const many = Array.from({ length: 20_000 }, (_, n) => String(n))
    assert.strictEqual(await copy(rows("not a number", ...many)), "22P02")
    assert.strictEqual(await copy(rows("1", "2")), "copied")
    assert.strictEqual((await database.sql`select 1 from copied`).length, 2)
  })
})
