import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { answerProtocolError } from "#src/http/server/protocolErrors.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const raw = async (text: string): Promise<string> => {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  let answer = ""
  socket.setEncoding("utf8").on("data", (data: string) => {
    answer += data
  })
  socket.write(text)
  await once(socket, "close")
  return answer
}

describe("invalid HTTP", () => {
  it.each([
    ["rubbish", "hello\r\n\r\n", 400, "malformed_request"],
    [
      "two content lengths",
      "POST /v1/me HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
      400,
      "malformed_request"
    ],
    ["endless headers", `GET /v1/me HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(40_000)}\r\n\r\n`, 431, "headers_too_large"]
  ])("is answered in the contract's form, and the connection is closed: %s", async (_, text, status, code) => {
    const answer = await raw(text)
    assert.isTrue(answer.startsWith(`HTTP/1.1 ${status} `), answer)
    const { detail } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))
    assert.hasAllKeys(detail, ["code", "message", "fix", "request_id"])
    assert.strictEqual(detail.code, code)
  })

  // Node checks for late requests twice a minute, which is too long to wait for here.
  it("is 408 request_timeout if it does not arrive in time", async () => {
    const late = createServer((socket) => answerProtocolError({ code: "ERR_HTTP_REQUEST_TIMEOUT" }, socket)).listen(
      0,
      "127.0.0.1"
    )
    await once(late, "listening")
    const socket = connect((late.address() as AddressInfo).port, "127.0.0.1")
    const answer = await text(socket)
    late.close()
    assert.isTrue(answer.startsWith("HTTP/1.1 408 Request Timeout\r\n"), answer)
    assert.strictEqual(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)).detail.code, "request_timeout")
  })
})
