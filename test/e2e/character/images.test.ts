import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createAppIn } from "#test/support/createAppIn.ts"
import { type FakeModel, start } from "#test/support/FakeModel.ts"
import { createTestDatabase, type TestDatabase } from "#test/support/TestDatabase.ts"
import { TEST_PRICES } from "#test/support/testPrices.ts"
import { SECRETS_KEY } from "#test/support/secretsKey.ts"
import { startTroupe } from "#test/support/TroupeProcess.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let database: TestDatabase
beforeAll(async () => {
  model = await start()
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await model.close()
})

describe("a process that is killed while a picture is generated for it", () => {
  it("leaves the picture to another process, which delivers it once, for the price of one", async () => {
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "sk-test",
      OPENAI_IMAGE_MODEL: "gpt-image-1",
      MODEL_PRICES: TEST_PRICES
    }
    const first = await startTroupe(env)
    const { appId, key } = await createAppIn(database.sql)
    const app = new TestApp(first.baseUrl, appId, key)
    const character_slug = await app.createCharacter()
    const session_id = await app.createSession({ character_slug })
    model.imageModel.script({ kind: "stall" })
    const { body } = await app.post("/v1/images", {
      character_slug,
      session_id,
      kind: "scene",
      prompt: "The harbour.",
      deliver: true
    })
    await until("the picture request", () => model.imageModel.requests.length >= 1)
    await first.stop("SIGKILL")
    const second = await startTroupe(env)
    try {
      const client = new TestApp(second.baseUrl, appId, key)
      const event = await client.waitFor(session_id, ({ type }) => type === "image.ready")
      assert.deepInclude(event.payload, { servable: true, image_request_id: body.data.image_request_id })
      assert.strictEqual((await fetch(String(event.payload["image_url"]))).status, 200)
      assert.lengthOf(
        (await client.events(session_id)).filter(({ type }) => type === "image.ready"),
        1
      )
      assert.strictEqual((await client.get("/v1/usage")).body.data.cost_usd, 0.042)
    } finally {
      await second.stop("SIGTERM")
    }
  })
})
