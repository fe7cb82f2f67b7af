import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterEach, assert, describe, it, vi } from "vitest"
import { SLOW_READER_MS } from "#channels/event-log/Feeds.ts"
import { drainedOf } from "#src/http/mcp/drainedOf.ts"
import { leaveIfSlow } from "#src/http/server/leaveSlowReaders.ts"

const closers: Array<() => unknown> = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closers.splice(0).toReversed()) close()
})

/** The answer to a client that reads nothing. More than the buffers of a connection hold is written to it. */
const answerUnread = async (write: (response: ServerResponse, text: string) => void): Promise<ServerResponse> => {
  const answering = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => {
    write(response, "x".repeat(32 * 1024 * 1024))
    answering.resolve(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
  closers.push(
    () => server.close(),
    () => client.destroy()
  )
  return answering.promise
}

const onlyTimeouts = { toFake: ["setTimeout", "clearTimeout"] } as const
const LONG_ENOUGH = SLOW_READER_MS + (32 * 1024 * 1024) / 64

describe("a client that does not read", () => {
  it("is left when the rest of its answer has had time to arrive", async () => {
    vi.useFakeTimers({ toFake: [...onlyTimeouts.toFake] })
    const response = await answerUnread((each, text) => {
      each.once("prefinish", () => leaveIfSlow(each))
      each.end(text)
    })
    vi.advanceTimersByTime(SLOW_READER_MS)
    assert.isFalse(response.destroyed)
    vi.advanceTimersByTime(LONG_ENOUGH)
    assert.isTrue(response.destroyed)
  })

  it("is left by an event stream after half a minute", async () => {
    const response = await answerUnread((each, text) => each.write(text))
    vi.useFakeTimers({ toFake: [...onlyTimeouts.toFake] })
    const drained = drainedOf(response)()
    await new Promise((next) => setImmediate(next))
    await new Promise((next) => setImmediate(next))
    vi.advanceTimersByTime(SLOW_READER_MS)
    await drained
    assert.isTrue(response.destroyed)
  })
})
