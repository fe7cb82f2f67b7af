import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import Fastify from "fastify"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { Readable } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { SLOW_READER_MS } from "#channels/event-log/Feeds.ts"
import { drainedOf } from "#src/http/mcp/drainedOf.ts"
import { leaveSlowReaders } from "#src/http/server/leaveSlowReaders.ts"
import { HeldBytes, MOST_BYTES } from "#src/http/server/limits/HeldBytes.ts"
import { ownerOf, ownerOfApp } from "#src/http/server/limits/Owner.ts"
import type { App } from "#src/http/server/Server.ts"
import { until } from "#test/support/until.ts"

const MB = 1024 * 1024
const ANSWER_BYTES = 24 * MB
const APP = ownerOfApp({ appId: "app_1", kind: "runtime" })
const OTHER_APP = ownerOfApp({ appId: "app_2", kind: "runtime" })

const closers: Array<() => unknown> = []
let scope: Scope.Closeable
let held: HeldBytes["Service"]
beforeEach(async () => {
  scope = Effect.runSync(Scope.make())
  held = Context.get(await Effect.runPromise(Layer.buildWithScope(HeldBytes.layer, scope)), HeldBytes)
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).toReversed()) close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

interface Unread {
  readonly response: ServerResponse
  readonly client: Socket
}

/** The answer to a client that reads nothing. More than the buffers of a connection hold is written to it. */
const answerUnread = async (write: (response: ServerResponse, text: string) => void): Promise<Unread> => {
  const answering = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => {
    write(response, "x".repeat(ANSWER_BYTES))
    answering.resolve(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {})
  client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
  closers.push(
    () => server.close(),
    () => client.destroy()
  )
  return { response: await answering.promise, client }
}
const unreadBy = (owner: typeof APP) =>
  answerUnread((response, text) => {
    response.once("prefinish", () => held.watch(owner, response)())
    response.end(text)
  })

/** A client that sends these requests at once, and reads nothing. */
const askUnread = async (app: App, ...paths: ReadonlyArray<string>) => {
  const { hostname, port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }))
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join("")
  const client = connect(Number(port), hostname, () => client.write(requests))
  closers.push(
    () => app.close(),
    () => client.on("error", () => {}).destroy()
  )
}

/** The answer to a second request of a connection that reads nothing. The first one is answered when told to. */
const answerBehind = async () => {
  const app: App = Fastify()
  leaveSlowReaders(app, held)
  const first = Promise.withResolvers<string>()
  const answering = Promise.withResolvers<ServerResponse>()
  app.get("/first", () => first.promise)
  app.get("/second", (_, reply) => {
    setImmediate(() => answering.resolve(reply.raw))
    return reply.send("x".repeat(ANSWER_BYTES))
  })
  await askUnread(app, "/first", "/second")
  return { response: await answering.promise, answerFirst: () => first.resolve("") }
}

function* withoutEnd() {
  for (;;) yield "x".repeat(MB)
}

const TIME = {
  toFake: ["setTimeout", "clearTimeout", "performance"] as Array<"setTimeout" | "clearTimeout" | "performance">
}
/** A read that has begun when there was room, and that ends when it is told to. */
const begin = (owner: typeof APP, bytes: number) => {
  const end = Deferred.makeUnsafe<void>()
  const read = {
    hasBegun: false,
    end: () => Deferred.doneUnsafe(end, Effect.void),
    stop: () => Effect.runFork(Fiber.interrupt(fiber))
  }
  const fiber = Effect.runFork(
    held.roomOf(owner)(
      bytes,
      Effect.andThen(
        Effect.sync(() => {
          read.hasBegun = true
        }),
        Deferred.await(end)
      )
    )
  )
  return read
}

describe("a client that does not read", () => {
  it("is left when the rest of its answer has had time to arrive", async () => {
    vi.useFakeTimers(TIME)
    const { response } = await unreadBy(APP)
    vi.advanceTimersByTime(SLOW_READER_MS)
    assert.isFalse(response.destroyed)
    vi.advanceTimersByTime(ANSWER_BYTES / 64 + 2000)
    assert.isTrue(response.destroyed)
  })

  it("is left after a pause of two seconds if a read of the same app waits, which then begins", async () => {
    vi.useFakeTimers(TIME)
    const { response } = await unreadBy(APP)
    const read = begin(APP, 16 * MB)
    vi.advanceTimersByTime(1000)
    assert.deepStrictEqual([response.destroyed, read.hasBegun], [false, false])
    vi.advanceTimersByTime(2000)
    vi.useRealTimers()
    assert.isTrue(response.destroyed)
    await until("the read", () => read.hasBegun)
  })

  it("is left in the middle of a body that is made while it is sent", async () => {
    vi.useFakeTimers(TIME)
    const app: App = Fastify()
    leaveSlowReaders(app, held)
    const answering = Promise.withResolvers<ServerResponse>()
    app.get("/", (_, reply) => {
      answering.resolve(reply.raw)
      return reply.send(Readable.from(withoutEnd(), { objectMode: false }))
    })
    await askUnread(app, "/")
    const response = await answering.promise
    let seconds = 0
    for (; !response.destroyed; seconds++) {
      vi.advanceTimersByTime(1000)
      await new Promise((next) => setImmediate(next))
    }
    assert.isAtLeast(seconds, SLOW_READER_MS / 1000)
  })

  it("is left after two seconds if others need the room of an answer that waits for an earlier one", async () => {
    vi.useFakeTimers(TIME)
    const { response } = await answerBehind()
    const read = begin(ownerOf({}), 16 * MB)
    assert.deepStrictEqual([response.destroyed, read.hasBegun], [false, false])
    vi.advanceTimersByTime(3000)
    vi.useRealTimers()
    assert.isTrue(response.req.socket.destroyed)
    await until("the read", () => read.hasBegun)
  })

  it("is not left while the server makes an earlier answer, and has the usual time from then on", async () => {
    vi.useFakeTimers(TIME)
    const { response, answerFirst } = await answerBehind()
    vi.advanceTimersByTime(10 * SLOW_READER_MS + ANSWER_BYTES)
    assert.isFalse(response.destroyed)
    answerFirst()
    await once(response, "socket")
    vi.advanceTimersByTime(SLOW_READER_MS)
    assert.isFalse(response.destroyed)
    vi.advanceTimersByTime(ANSWER_BYTES / 64 + 2000)
    assert.isTrue(response.destroyed)
  })

  it("does not keep another app waiting", async () => {
    await unreadBy(APP)
    assert.isTrue(begin(OTHER_APP, MB).hasBegun)
  })

  it("is left by an event stream after half a minute", async () => {
    const { response } = await answerUnread((each, text) => each.write(text))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const drained = drainedOf(response)()
    await new Promise((next) => setImmediate(next))
    await new Promise((next) => setImmediate(next))
    vi.advanceTimersByTime(SLOW_READER_MS)
    await drained
    assert.isTrue(response.destroyed)
  })
})

describe("a client that reads", () => {
  it("frees the room that its answer took, and is not left", async () => {
    const { response, client } = await unreadBy(APP)
    const read = begin(APP, 16 * MB)
    assert.isFalse(read.hasBegun)
    client.resume()
    await until("the read", () => read.hasBegun)
    assert.isTrue(response.writableFinished)
  })
})

describe("reads of an app", () => {
  it("begin in order, as soon as there is room", async () => {
    const [first, second, third] = [begin(APP, APP.most - MB), begin(APP, 2 * MB), begin(APP, MB)] as const
    assert.deepStrictEqual([first.hasBegun, second.hasBegun, third.hasBegun], [true, false, false])
    first.end()
    await until("the others", () => second.hasBegun && third.hasBegun)
  })

  it("that are given up while they wait take no room", async () => {
    const first = begin(APP, APP.most)
    const second = begin(APP, APP.most)
    const third = begin(APP, APP.most)
    second.stop()
    first.end()
    await until("the third", () => third.hasBegun)
    assert.isFalse(second.hasBegun)
  })

  it("begin when a larger one before them is given up", async () => {
    const [, large, small] = [begin(APP, APP.most - 4 * MB), begin(APP, 16 * MB), begin(APP, 2 * MB)] as const
    assert.deepStrictEqual([large.hasBegun, small.hasBegun], [false, false])
    large.stop()
    await until("the small one", () => small.hasBegun)
  })

  it("begin at once if the app has nothing in memory, however large they are and whatever others have", () => {
    const owners = Array.from({ length: 2 * Math.ceil(MOST_BYTES / APP.most) }, (_, n) =>
      ownerOfApp({ appId: `app_${n}`, kind: n % 2 === 0 ? "runtime" : "demo" })
    )
    for (const owner of owners) assert.isTrue(begin(owner, 2 * owner.most).hasBegun)
    assert.isFalse(begin(owners[0] ?? APP, 1).hasBegun)
  })

  it("never take more than they may, and all begin in the end, in whatever order they end", async () => {
    const action = fc.record({ kind: fc.constantFrom("begin", "begin", "end", "stop"), app: fc.nat(5), at: fc.nat(20) })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const reads: Array<{ read: ReturnType<typeof begin>; app: number; mb: number; isOver: boolean }> = []
        const settled = () => new Promise((resume) => setImmediate(resume))
        const reading = () => reads.filter(({ read, isOver }) => read.hasBegun && !isOver)
        const waiting = () => reads.filter(({ read, isOver }) => !read.hasBegun && !isOver)
        const check = () => {
          for (let app = 0; app <= 5; app++) {
            const own = reading().filter((each) => each.app === app)
            if (own.length > 1) assert.isAtMost(own.reduce((sum, { mb }) => sum + mb, 0) * MB, APP.most)
            const next = waiting().find((each) => each.app === app)
            if (next === undefined) continue
            assert.isNotEmpty(own, "an app that has nothing in memory waits")
            const [taken, all] = [own, reading()].map((each) => each.reduce((sum, { mb }) => sum + mb, 0) * MB)
            assert.isTrue(
              (taken ?? 0) + next.mb * MB > APP.most || (all ?? 0) + next.mb * MB > MOST_BYTES,
              "a read waits although there is room"
            )
          }
          const shared = [...Map.groupBy(reading(), ({ app }) => app).values()].filter((own) => own.length > 1)
          assert.isAtMost(shared.flat().reduce((sum, { mb }) => sum + mb, 0) * MB, MOST_BYTES)
        }
        for (const { kind, app, at } of actions) {
          const those = kind === "end" ? reading() : kind === "stop" ? waiting() : []
          const chosen = those[at % Math.max(1, those.length)]
          if (kind === "begin") {
            const mb = at + 1
            const owner = ownerOfApp({ appId: `app_${app}`, kind: "runtime" })
            reads.push({ read: begin(owner, mb * MB), app, mb, isOver: false })
          } else if (chosen !== undefined) {
            chosen.isOver = true
            if (kind === "end") chosen.read.end()
            else chosen.read.stop()
          }
          await settled()
          check()
        }
        while (reading().length > 0) {
          for (const each of reading()) {
            each.isOver = true
            each.read.end()
          }
          await settled()
          check()
        }
        assert.isEmpty(waiting())
      })
    )
  })
})
