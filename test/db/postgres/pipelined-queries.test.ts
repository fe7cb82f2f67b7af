import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { openPool, type Pool } from "#src/db/postgres/postgres.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"

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

const unwritable = undefined as unknown as string
const said = (query: PromiseLike<Iterable<unknown>>) =>
  query.then(
    (rows) => [...rows],
    (error: Error & { code?: string }) => error.code
  )

describe("queries on a shared connection", () => {
  it("each get their own result, even beside one that cannot be serialised", async () => {
    const number = (n: number) => said(pool`select ${n}::int as n`)
    const word = (text: string) => said(pool`select ${text}::text as word`)
    await number(0)
    await word("warm")
    assert.deepStrictEqual(
      await Promise.all([
        number(1),
        word(unwritable),
        number(2),
        said(pool`select ${unwritable} as none, 1 as one`),
        word("three"),
        word(unwritable),
        number(4)
      ]),
      [[{ n: 1 }], "UNDEFINED_VALUE", [{ n: 2 }], "UNDEFINED_VALUE", [{ word: "three" }], "UNDEFINED_VALUE", [{ n: 4 }]]
    )
    assert.deepStrictEqual([await word(unwritable), await number(5)], ["UNDEFINED_VALUE", [{ n: 5 }]])
  })

  it("get their results on a new connection too, if its first query could not be serialised", async () => {
    const fresh = openPool(database.url, 1)
    const word = (text: string) => said(fresh`select ${text}::text as word`)
    assert.deepStrictEqual(await Promise.all([word(unwritable), word("two")]), ["UNDEFINED_VALUE", [{ word: "two" }]])
    await fresh.end({ timeout: 1 })
    const alone = openPool(database.url, 1)
    assert.strictEqual(await said(alone`select ${unwritable}::text as word`), "UNDEFINED_VALUE")
    assert.deepStrictEqual(await said(alone`select 1 as n`), [{ n: 1 }])
    await alone.end({ timeout: 1 })
  })

  it("each get their own rows, even after one that failed between them", async () => {
    const [failed, whole] = await Promise.all([
      said(pool`select 1 / (4 - i) as n from generate_series(1, 10) i`),
      said(pool`select i from generate_series(1, 3) i`)
    ])
    assert.deepStrictEqual([failed, whole], ["22012", [{ i: 1 }, { i: 2 }, { i: 3 }]])
  })

  it("continue in a transaction that contains one that could not be serialised", async () => {
    const outcome = await pool
      .begin(async (sql) => {
        const first = await said(sql`select ${unwritable}::text as word`)
        return [first, await said(sql`select 7 as n`)]
      })
      .catch((error: Error & { code?: string }) => error.code)
    assert.strictEqual(outcome, "UNDEFINED_VALUE")
    assert.deepStrictEqual(await said(pool`select 8 as n`), [{ n: 8 }])
  })
})
