import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { readZip } from "#test/support/readZip.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const PATH = "/v1/end-users/ada/export"

describe("a process that is killed while it creates an export", () => {
  it("leaves the export to another process, which completes it", async () => {
    const { sql, url } = database
    const env = { DATABASE_URL: url, SECRETS_KEY }
    const first = await startTroupe(env)
    const { appId, key } = await createAppIn(sql)
    const app = new TestApp(first.baseUrl, appId, key)
    const session = await app.createSession({ external_user_ref: "ada" })
    await app.converse(session, "What is for dinner?")
    // It stops at this point.
    const holding = await sql.reserve()
    await holding`begin`
    await holding`lock table snapshots in access exclusive mode`
    assert.strictEqual((await app.get(PATH)).status, 202)
    await until(
      "it to be made",
      async () => (await sql`select 1 from exports where status = 'running' and owner is not null`).length === 1
    )
    await first.stop("SIGKILL")
    await holding`rollback`
    holding.release()

    const second = await startTroupe(env)
    try {
      const client = new TestApp(second.baseUrl, appId, key)
      await until("the export", async () => (await client.get(PATH)).status === 200)
      const answer = await fetch(second.baseUrl + PATH, { headers: { authorization: `Bearer ${key}` } })
      const files = await readZip(Buffer.from(await answer.arrayBuffer()))
      const lines = files.get(`log/${session}.jsonl`)?.toString().trimEnd().split("\n") ?? []
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        [...(await client.events(session))]
      )
      assert.isTrue(files.has("ledger.json"))
      const [row] = await sql`select attempts from exports`
      assert.isAtLeast(row?.["attempts"], 2)
    } finally {
      await second.stop("SIGTERM")
    }
  })
})
