import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let server: TestServer
beforeAll(async () => {
  model = await start()
  server = await startTestServer({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_MODEL: "gpt-5-mini",
      OPENAI_IMAGE_MODEL: "brand-new-pictures",
      // A model at a loopback address is free unless it is named here.
      MODEL_PRICES: JSON.stringify({ "gpt-5-mini": "list", "gpt-5-nano": "list", "brand-new-pictures": "list" })
    }
  })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

describe("usage with an assumed price of pictures", () => {
  it("is marked where it contains a picture, and only there", async () => {
    const app = await server.createApp()
    const character_slug = await app.createCharacter()
    const session_id = await app.createSession({ character_slug, external_user_ref: "ann" })
    await app.converse(session_id, "Hello.")
    const usage = async (query = "") => (await app.get(`/v1/usage${query}`)).body.data
    assert.isTrue((await usage()).priced)
    const { body } = await app.post("/v1/images", { character_slug, session_id, kind: "scene", prompt: "The harbour." })
    await until(
      "the picture",
      async () => (await app.get(`/v1/images/${body.data.image_request_id}`)).body.data.status === "ready"
    )
    assert.deepInclude(await usage(), { images: 1, priced: false })
    const priced = async (group: string) =>
      Object.fromEntries((await usage(`?group_by=${group}`)).groups.map((one: any) => [one.key, one.priced]))
    assert.deepStrictEqual(await priced("kind"), { image: false, message_fast: true })
    assert.deepStrictEqual(await priced("end_user"), { ann: false })
    assert.deepStrictEqual(Object.values(await priced("day")), [false])
  })

  it("is marked for the probe of pictures, too, but not for that of a character", async () => {
    const [painted, spoken] = [await server.createApp(), await server.createApp()]
    assert.strictEqual((await painted.post("/v1/images/probe", undefined)).body.data.status, "ok")
    const slug = await spoken.createCharacter()
    const { status } = await spoken.post(`/v1/characters/${slug}/readiness/probe`, undefined)
    assert.strictEqual(status, 200)
    for (const [app, priced] of [
      [painted, false],
      [spoken, true]
    ] as const) {
      const { data } = (await app.get("/v1/usage?group_by=kind")).body
      assert.deepStrictEqual(
        data.groups.map((one: any) => [one.key, one.priced]),
        [["probe", priced]]
      )
      assert.strictEqual(data.priced, priced)
    }
  })
})
