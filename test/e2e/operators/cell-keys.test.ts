import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { runTroupe } from "#test/support/TroupeProcess.ts"

let old: TestServer
let next: TestServer
beforeAll(async () => {
  old = await startTestServer({ env: { CELL: "old1" } })
  next = await startTestServer({ env: { CELL: "new1" } })
})
afterAll(async () => {
  await old.close()
  await next.close()
})
const env = () => ({ DATABASE_URL: old.database.url, SECRETS_KEY, CELL: "old1" })

describe("a key of a cell", () => {
  it("begins with the code of the cell, and keys without a code go on working", async () => {
    const app = await old.createApp()
    assert.match(app.key, /^ck_old1_[0-9A-Za-z]{46}$/)
    assert.strictEqual((await app.get("/v1/me")).status, 200)
    const made = await runTroupe(env(), ["key", "create", app.appId])
    assert.match(JSON.parse(made.stdout).prefix, /^ck_old1_[0-9A-Za-z]{8}$/)
    const plain = await runTroupe({ ...env(), CELL: "" }, ["key", "create", app.appId])
    const { api_key: key, prefix } = JSON.parse(plain.stdout)
    assert.match(key, /^ck_[0-9A-Za-z]{46}$/)
    assert.strictEqual((await new TestApp(old.baseUrl, app.appId, key).get("/v1/me")).status, 200)
    assert.strictEqual((await runTroupe(env(), ["key", "revoke", prefix])).code, 0)
  })

  it("is refused by another cell, which says whose it is", async () => {
    const { appId, key } = await old.createApp()
    const { status, body } = await new TestApp(next.baseUrl, appId, key).get("/v1/me")
    assert.deepStrictEqual([status, body.detail.code], [403, "key_of_another_cell"])
    assert.include(body.detail.message, "old1")
  })
})
