import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { rawClient } from "#test/support/hostile/rawRequest.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let operations: string
beforeAll(async () => {
  const port = await freePort()
  operations = `http://127.0.0.1:${port}`
  server = await startTestServer({ env: { OPERATIONS_PORT: String(port) } })
})
afterAll(() => server.close())

/** Asks as a browser does whose page is of this host, whatever address that leads to. */
const askAs = async (baseUrl: string, host: string) => {
  const raw = rawClient(baseUrl)
  const { status, body } = await raw.send({ method: "GET", path: "/healthz", headers: { host } })
  raw.close()
  return { status, body: JSON.parse(body) }
}

describe("a server that only its own machine reaches", () => {
  it("answers no request for another host, on either listener", async () => {
    for (const baseUrl of [server.baseUrl, operations]) {
      for (const host of ["evil.example", "evil.example:8080", "localhost.evil.example", "192.0.2.1"]) {
        const { status, body } = await askAs(baseUrl, host)
        assert.deepStrictEqual([status, body.detail?.code], [421, "host_not_allowed"], `${baseUrl} ${host}`)
      }
      for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080"])
        assert.strictEqual((await askAs(baseUrl, host)).status, 200, `${baseUrl} ${host}`)
    }
  })

  it("answers them when it has a public address, or a proxy in front of it", async () => {
    const cases: ReadonlyArray<Record<string, string>> = [
      { PUBLIC_URL: "https://troupe.example" },
      { TRUST_PROXY: "true" }
    ]
    for (const env of cases) {
      const port = await freePort()
      const other = await startTestServer({ database: server.database, env: { ...env, PORT: String(port) } })
      try {
        assert.strictEqual((await askAs(`http://127.0.0.1:${port}`, "troupe.example")).status, 200)
      } finally {
        await other.close()
      }
    }
  })
})
