import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let operations: string
beforeAll(async () => {
  const port = await freePort()
  operations = `http://127.0.0.1:${port}`
  server = await startTestServer({ env: { OPERATIONS_PORT: String(port) } })
})
const closers: Array<() => void> = []
afterAll(async () => {
  for (const close of closers) close()
  await server.close()
})

/** Sends the beginning of a request, and waits until the other side closes the connection. */
const sendHalf = (baseUrl: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect(Number(port), hostname)
    closers.push(() => socket.destroy())
    socket.on("error", () => {}).once("close", () => resolve(baseUrl))
    socket.resume().write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n")
  })

describe("the listener for operations", () => {
  it("leaves a request that does not arrive, and sooner than the public listener does", async () => {
    assert.strictEqual(await Promise.race([sendHalf(server.baseUrl), sendHalf(operations)]), operations)
  })
})
