import { once } from "node:events"
import { get } from "node:http"
import { buffer } from "node:stream/consumers"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: {
      TRUST_PROXY: "true",
      OIDC_ISSUER: "https://sign-in.example",
      OIDC_CLIENT_ID: "id",
      OIDC_CLIENT_SECRET: "secret",
      STREAMS_PER_APP: "30",
      PUBLIC_REQUESTS_PER_MINUTE: "60",
      DEMO_KEYS_PER_HOUR: "100"
    }
  })
})
afterAll(() => server.close())

const from = (address: string) => ({ "x-forwarded-for": address })
const read = async (path: string, headers: Record<string, string>) => {
  const asked = get(server.baseUrl + path, { headers })
  const [answer] = await once(asked, "response")
  return {
    status: answer.statusCode as number,
    headers: answer.headers as Record<string, string>,
    body: await buffer(answer)
  }
}

describe("a public document", () => {
  it.each([
    "/openapi.json",
    "/docs/",
    "/docs/build/events",
    "/docs/build/events.md",
    "/docs/explorer/js/scalar.js",
    "/v1/llms.txt"
  ])("is compressed, can be cached, and is not sent again to a client that has it: %s", async (path) => {
    const plain = await read(path, { ...from("192.0.2.1"), "accept-encoding": "br;q=0, identity" })
    const br = await read(path, { ...from("192.0.2.1"), "accept-encoding": "gzip, br" })
    const zipped = await read(path, { ...from("192.0.2.1"), "accept-encoding": "gzip" })
    assert.deepStrictEqual(
      [plain.headers["content-encoding"], br.headers["content-encoding"], zipped.headers["content-encoding"]],
      [undefined, "br", "gzip"]
    )
    assert.isTrue(brotliDecompressSync(br.body).equals(plain.body) && gunzipSync(zipped.body).equals(plain.body))
    assert.isBelow(br.body.length, plain.body.length / 2)
    assert.match(plain.headers["cache-control"] ?? "", /^public, max-age=\d+$/)
    assert.strictEqual(plain.headers["vary"], "accept-encoding")
    const seen = await read(path, { ...from("192.0.2.1"), "if-none-match": plain.headers["etag"] ?? "" })
    assert.deepStrictEqual([seen.status, seen.body.length], [304, 0])
  })

  it.each(["/openapi.json", "/device", "/v1/llms.txt"])(
    "is counted by address, an IPv6 network as one, and nobody else is refused: %s",
    async (path) => {
      const network = `2001:db8:${path.length.toString(16)}:1`
      const statuses = []
      for (let n = 0; n < 62; n++) statuses.push((await read(path, from(`${network}::${n.toString(16)}`))).status)
      assert.deepStrictEqual(
        [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length],
        [60, 2]
      )
      const refused = await read(path, from(`${network}::ffff`))
      assert.isAtLeast(Number(refused.headers["retry-after"] ?? 1), 1)
      assert.strictEqual((await read(path, from("2001:db8:ffff::1"))).status, 200)
      assert.strictEqual((await read("/healthz", from(`${network}::1`))).status, 200)
    }
  )
})

describe("user codes", () => {
  it("that are wrong, 2,000 of them from a hundred addresses, do not lock the page for anyone else", async () => {
    const enter = (address: string, code: string) =>
      fetch(`${server.baseUrl}/device`, {
        method: "POST",
        redirect: "manual",
        headers: from(address),
        body: new URLSearchParams({ user_code: code })
      })
    const addresses = Array.from({ length: 100 }, (_, n) => `198.51.100.${n}`)
    const statuses = (
      await Promise.all(
        addresses.map(async (address) => {
          const tried = []
          for (let n = 0; n < 21; n++) tried.push((await enter(address, "BBBBB-BBBBB")).status)
          return tried
        })
      )
    ).flat()
    assert.deepStrictEqual(
      [statuses.filter((status) => status === 400).length, statuses.filter((status) => status === 429).length],
      [2000, 100]
    )
    const started = await new TestApp(server.baseUrl, "", "").post("/v1/account/device/start", {}, from("203.0.113.1"))
    assert.match(started.body.data.user_code, /^[B-Z]{5}-[B-Z]{5}$/)
    const entered = await enter("203.0.113.1", started.body.data.user_code)
    assert.strictEqual(entered.status, 303)
    assert.match(entered.headers.getSetCookie()[0] ?? "", /^troupe-device=/)
    const secure = await fetch(`${server.baseUrl}/device`, {
      method: "POST",
      redirect: "manual",
      headers: { ...from("203.0.113.1"), "x-forwarded-proto": "https" },
      body: new URLSearchParams({ user_code: started.body.data.user_code })
    })
    // Nobody on another host can plant this one.
    assert.match(secure.headers.getSetCookie()[0] ?? "", /^__Host-troupe-device=.*; Secure; SameSite=Lax$/)
  })

  it("are counted by the /48 of an IPv6 address too", async () => {
    const enter = (n: number) =>
      fetch(`${server.baseUrl}/device`, {
        method: "POST",
        redirect: "manual",
        headers: from(`2001:db8:77:${n.toString(16)}::1`),
        body: new URLSearchParams({ user_code: "BBBBB-BBBBB" })
      })
    const statuses = await Promise.all(Array.from({ length: 210 }, async (_, n) => (await enter(n)).status))
    assert.deepStrictEqual(
      [statuses.filter((status) => status === 400).length, statuses.filter((status) => status === 429).length],
      [200, 10]
    )
  })
})

describe("streams and waiting polls", () => {
  const demoApp = async () => {
    const { data } = (
      await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined, from("203.0.113.7"))
    ).body
    const app = new TestApp(server.baseUrl, data.app_id, data.api_key)
    return { app, session: await app.createSession({ character_slug: data.character_slugs[0] }) }
  }
  const ofRuntime = async () => {
    const app = await server.createApp()
    return { app, session: await app.createSession({ character_slug: await app.createCharacter() }) }
  }

  it.each([
    ["a demo key", 20, demoApp],
    ["an app", 30, ofRuntime]
  ] as const)("of %s are limited to %d, and one that ends makes room for another", async (_, most, make) => {
    const { app, session } = await make()
    const headers = { authorization: `Bearer ${app.key}` }
    const url = `${server.baseUrl}/v1/sessions/${session}/events`
    const open = async () => {
      const leaving = new AbortController()
      const answer = await fetch(`${url}/stream?since=0`, { headers, signal: leaving.signal })
      assert.strictEqual(answer.status, 200)
      return leaving
    }
    const streams = await Promise.all(Array.from({ length: most }, open))
    const refused = await app.get(`/v1/sessions/${session}/events/stream?since=0`)
    assert.deepStrictEqual([refused.status, refused.body.detail.code], [429, "rate_limited"])
    assert.include(refused.body.detail.message, String(most))
    assert.include(refused.body.detail.fix, "webhook")
    assert.strictEqual(refused.headers.get("retry-after"), "5")
    assert.strictEqual((await app.get(`/v1/sessions/${session}/events?since=99&wait=30`)).status, 429)
    assert.strictEqual((await app.get("/v1/delivery/events?since=0&wait=30")).status, 429)
    assert.strictEqual((await app.get(`/v1/sessions/${session}/events?since=0`)).status, 200)
    streams[0]?.abort()
    await until("room for another", async () => {
      const leaving = new AbortController()
      const { status } = await fetch(`${url}/stream?since=0`, { headers, signal: leaving.signal })
      leaving.abort()
      return status === 200 ? true : undefined
    })
    for (const stream of streams) stream.abort()
  })
})
