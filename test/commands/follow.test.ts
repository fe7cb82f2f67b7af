import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate as nextRound } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { afterEach, assert, describe, it, vi } from "vitest"
import { connect } from "#src/commands/terminal/api.ts"
import { follow } from "#src/commands/conversation/follow.ts"

afterEach(() => vi.restoreAllMocks())

const moments: ReadonlyArray<readonly [string, () => Promise<void>]> = [
  ["at once", async () => {}],
  [
    "a few steps later",
    async () => {
      for (let step = 0; step < 8; step++) await undefined
    }
  ],
  [
    "a round of the event loop later",
    async () => {
      await nextRound()
    }
  ],
  [
    "two rounds later",
    async () => {
      await nextRound()
      await nextRound()
    }
  ]
]

describe("the log as followed by a command", () => {
  it.each(moments)("is closed when the reader leaves just as the answer arrives: %s", async (_, moment) => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const closed = new Promise<string>((close) => {
      server.on("request", (_, response) =>
        response
          .on("close", () => close("closed"))
          .writeHead(200, { "content-type": "text/event-stream" })
          .flushHeaders()
      )
    })
    const ask = globalThis.fetch
    vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
      const answer = await ask(...asked)
      void moment().then(() => reader.interruptUnsafe())
      return answer
    })
    const reader = Effect.runFork(
      Effect.flatMap(connect({ url, key: "ck_test" }), (api) => Stream.runDrain(follow(api, "ses_test", 0)))
    )
    await Effect.runPromise(Fiber.await(reader))
    assert.strictEqual(await closed, "closed")
    server.close()
  })
})
