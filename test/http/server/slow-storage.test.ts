import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { base64, cardV3, picture, zipOf } from "#test/support/files/cards.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

/** An S3 service that does not answer requests about this app's files until it is released. */
let slowFor = ""
let waiting: Array<() => void> = []
const contents = new Map<string, Buffer>()
let s3: Server
let server: TestServer
beforeAll(async () => {
  s3 = createServer(async (request, reply) => {
    const key = (request.url ?? "").split("?")[0] ?? ""
    const body = await buffer(request)
    if (slowFor !== "" && key.includes(slowFor))
      await new Promise<void>((go) => {
        waiting.push(go)
      })
    if (request.method === "PUT") contents.set(key, body)
    reply.end(request.method === "GET" ? contents.get(key) : undefined)
  }).listen(0, "127.0.0.1")
  await once(s3, "listening")
  server = await startTestServer({
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
      S3_BUCKET: "pictures",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret"
    }
  })
})
afterAll(async () => {
  await server.close()
  s3.closeAllConnections()
  s3.close()
})

const goOn = () => {
  slowFor = ""
  for (const go of waiting) go()
  waiting = []
}

const commit = async (app: TestApp, slug: string) => {
  const content_base64 = base64(
    await zipOf({
      "card.json": cardV3({ assets: [{ type: "icon", uri: "embeded://a.png", name: "main", ext: "png" }] }),
      "a.png": await picture("png", 40, 60)
    })
  )
  const { id, content_hash } = (await app.post("/v1/imports", { content_base64, target_slug: slug })).body.data
  return (await app.post(`/v1/imports/${id}/commit`, { content_hash })).status
}
const exported = async (app: TestApp) => (await app.get("/v1/characters/mara/export?format=png")).status

describe("storage that is slow for one app", () => {
  it("does not delay the commits and exports of others", async () => {
    const [slow, other] = [await server.createApp(), await server.createApp()]
    assert.deepStrictEqual([await commit(slow, "mara"), await commit(other, "mara")], [200, 200])

    slowFor = slow.appId
    const late = [commit(slow, "nadia"), exported(slow)]
    await until("both to wait for the storage", () => waiting.length === 2)
    assert.deepStrictEqual([await commit(other, "nadia"), await exported(other)], [200, 200])
    assert.lengthOf(waiting, 2)
    goOn()
    assert.deepStrictEqual(await Promise.all(late), [200, 200])
  })

  it("keeps as many exports of it in memory as there is room for, and the others follow", async () => {
    const [slow, other] = [await server.createApp(), await server.createApp()]
    assert.deepStrictEqual([await commit(slow, "mara"), await commit(other, "mara")], [200, 200])
    slowFor = slow.appId
    const late = [exported(slow), exported(slow), exported(slow)]
    await until("two to wait for the storage", () => waiting.length >= 2)
    // Longer than the third would take to come there.
    assert.deepStrictEqual([await commit(other, "nadia"), await exported(other)], [200, 200])
    assert.lengthOf(waiting, 2)
    goOn()
    assert.deepStrictEqual(await Promise.all(late), [200, 200, 200])
  })
})
