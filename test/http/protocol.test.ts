import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
beforeAll(async () => { server = await startTestServer() })
afterAll(() => server.close())

const raw = async (text: string): Promise<string> => {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  let answer = ""
  socket.setEncoding("utf8").on("data", (data: string) => { answer += data })
  socket.write(text)
  await once(socket, "close")
  return answer
}

describe("what is not valid HTTP", () => {
  it.each([
    ["rubbish", "hello\r\n\r\n", 400],
    ["two content lengths", "POST /v1/me HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400],
    ["endless headers", `GET /v1/me HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(40_000)}\r\n\r\n`, 431]
  ])("is answered in the contract's form and hung up on: %s", async (_, text, status) => {
    const answer = await raw(text)
    assert.isTrue(answer.startsWith(`HTTP/1.1 ${status} `), answer)
    const { detail } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))
    assert.hasAllKeys(detail, ["code", "message", "fix", "request_id"])
  })
})
