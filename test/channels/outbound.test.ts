import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer as createHttpServer, type IncomingMessage } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls"
import { Agent, request } from "undici"
import { afterEach, assert, describe, it } from "vitest"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { LookUp, type LookUpName, Unresolved } from "#channels/outbound/LookUp.ts"
import { Outbound, type OutboundRequest } from "#channels/outbound/Outbound.ts"
import { startReceiver, status } from "#test/support/Receiver.ts"
import { until } from "#test/support/until.ts"

const TLS = Object.fromEntries(
  (["key", "certificate"] as const).map((name) => [
    name,
    readFileSync(join(import.meta.dirname, `../support/tls/${name}.pem`), "utf8")
  ])
)

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Listens with any kind of server. Counts connections and records what they send. */
const listen = async (server: Server, host = "127.0.0.1") => {
  const sockets: Array<Socket> = []
  let received = ""
  server.on("connection", (socket) => {
    sockets.push(socket)
    socket.on("data", (data) => {
      received += data.toString("latin1")
    })
    socket.on("error", () => {})
  })
  await once(server.listen(0, host), "listening")
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return { port: (server.address() as AddressInfo).port, sockets, received: () => received }
}
/** A server that answers each request by any action on its socket. */
const misbehaving = (behave: (socket: Socket) => void) =>
  listen(createServer((socket) => socket.once("data", () => behave(socket))))
const answering = (status: number, headers: Record<string, string> = {}, body = "") =>
  listen(
    createHttpServer((request, response) => {
      request.resume()
      response.writeHead(status, headers).end(body)
    })
  )

const nobody: LookUpName = (host) => Effect.fail(new Unresolved({ host }))

/** Outbound as configured in a process with this OUTBOUND_ALLOW. */
const outbound = (outboundAllow: string, lookUp: LookUpName = nobody) => {
  const read = parseAllowList(outboundAllow)
  const runtime = ManagedRuntime.make(
    Outbound.layer({ allow: "allow" in read ? read.allow : [] }).pipe(Layer.provide(Layer.succeed(LookUp, lookUp)))
  )
  let disposed: Promise<void> | undefined
  const dispose = () => (disposed ??= runtime.dispose())
  closing.push(dispose)
  return {
    dispose,
    check: (url: string) =>
      runtime.runPromise(
        Outbound.use((out) => out.checkUrl(url)).pipe(
          Effect.match({ onFailure: (error) => error.reason, onSuccess: () => "taken" as const })
        )
      ),
    post: async (url: string, options: Partial<OutboundRequest> = {}): Promise<object> => {
      const result = await runtime.runPromise(
        Outbound.use((out) =>
          out.send({ url, headers: { "content-type": "application/json" }, body: `{"n":1}`, ...options })
        ).pipe(Effect.result)
      )
      if (Result.isSuccess(result)) return result.success
      const { reason, sent } = result.failure
      return { reason, sent }
    }
  }
}
const blocked = { reason: "blocked_address", sent: false }

describe("a guard that only hooks the name lookup", () => {
  it("lets literal addresses of this machine through", async () => {
    const server = await answering(200, {}, "inside")
    const hooked = new Agent({
      connect: { lookup: (host, _options, answer) => answer(new Error(`${host} is not for you`), []) }
    })
    closing.push(() => hooked.destroy())
    for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]"]) {
      const answer = await request(`http://${host}:${server.port}`, { method: "POST", dispatcher: hooked })
      assert.strictEqual(await answer.body.text(), "inside", host)
    }
  })
})

describe("a request", () => {
  it.each(["POST", "PUT", "PATCH"] as const)("may be a %s", async (method) => {
    const receiver = await startReceiver(status(204))
    closing.push(receiver.close)
    assert.deepInclude(await outbound("127.0.0.1").post(receiver.url, { method }), { status: 204 })
    const { method: seen, body } = await receiver.received(0)
    assert.deepStrictEqual([seen, body.toString("utf8")], [method, `{"n":1}`])
  })
})

describe("the guard", () => {
  it("refuses every spelling of this machine's addresses before it connects", async () => {
    const server = await answering(200)
    const { post } = outbound("", () => Effect.succeed(["127.0.0.1", "::1", "::ffff:127.0.0.1"]))
    for (const scheme of ["http", "https"]) {
      for (const host of [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "127.1",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0",
        "localhost",
        "localhost.",
        "anything.example"
      ]) {
        assert.deepStrictEqual(await post(`${scheme}://${host}:${server.port}/`), blocked, `${scheme} ${host}`)
      }
    }
    assert.lengthOf(server.sockets, 0)
  })

  it("recognizes localhost without a name server, as the URL check does", async () => {
    const server = await answering(200)
    const { check, post } = outbound("127.0.0.1", nobody)
    for (const host of ["localhost", "LOCALHOST.", "app.localhost"]) {
      assert.strictEqual(await check(`http://${host}:${server.port}`), "taken")
      assert.include(await post(`http://${host}:${server.port}`), { status: 200 }, host)
    }
  })

  it("refuses a URL with a user, another scheme, or no valid syntax", async () => {
    const { post } = outbound("127.0.0.1")
    for (const url of ["https://user:password@hooks.example", "ftp://127.0.0.1", "nothing"])
      assert.deepStrictEqual(await post(url), blocked, url)
  })

  it("refuses a name that resolves to another address when connecting than at registration", async () => {
    const server = await answering(200)
    const answers = [["93.184.216.34"], ["127.0.0.1"]]
    const { check, post } = outbound("", () => Effect.succeed(answers.shift() ?? []))
    const url = `https://rebinding.example:${server.port}`
    assert.strictEqual(await check(url), "taken")
    assert.deepStrictEqual(await post(url), blocked)
    assert.lengthOf(answers, 0)
    assert.lengthOf(server.sockets, 0)
  })

  it("connects to exactly the address that it checked in one lookup, and to none that failed the check", async () => {
    const server = await listen(
      createHttpServer((_, response) => response.end("here")),
      "0.0.0.0"
    )
    let lookedUp = 0
    const { post } = outbound("127.0.0.1", () =>
      Effect.sync(() => (lookedUp++ === 0 ? ["127.0.0.2", "10.0.0.1", "127.0.0.1"] : ["127.0.0.3"]))
    )
    assert.include(await post(`http://several.example:${server.port}`), { status: 200, body: "here" })
    assert.deepStrictEqual(
      server.sockets.map((socket) => socket.localAddress),
      ["127.0.0.1"]
    )
    assert.strictEqual(lookedUp, 1)
  })

  it("respects the port of an exception", async () => {
    const [one, other] = [await answering(204), await answering(204)]
    const { post } = outbound(`127.0.0.1:${one.port}`)
    assert.include(await post(`http://127.0.0.1:${one.port}`), { status: 204 })
    assert.deepStrictEqual(await post(`http://127.0.0.1:${other.port}`), blocked)
  })

  it("uses the operating system's resolver only for a host that the operator allows by name", async () => {
    const server = await answering(204)
    const asked: Array<[string, boolean]> = []
    const { post } = outbound("inside", (host, excepted) => {
      asked.push([host, excepted])
      return Effect.succeed(["127.0.0.1"])
    })
    assert.include(await post(`http://inside:${server.port}`), { status: 204 })
    assert.deepStrictEqual(await post(`http://outside:${server.port}`), blocked)
    assert.deepStrictEqual(asked, [
      ["inside", true],
      ["outside", false]
    ])
  })

  it("also reaches IPv6 addresses", async ({ skip }) => {
    if (
      !Object.values(networkInterfaces())
        .flat()
        .some((network) => network?.address === "::1")
    )
      skip("this machine has no IPv6")
    const server = await listen(
      createHttpServer((_, response) => response.end("six")),
      "::1"
    )
    assert.include(await outbound("::1").post(`http://[::1]:${server.port}`), { body: "six" })
    assert.include(await outbound("::/0", () => Effect.succeed(["::1"])).post(`http://six.example:${server.port}`), {
      body: "six"
    })
    assert.deepStrictEqual(await outbound("").post(`http://[::1]:${server.port}`), blocked)
  })

  it("keeps the name for TLS and for the Host header, and requires a certificate for it", async () => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, TLS["certificate"] ?? ""])
    closing.push(async () => setDefaultCACertificates(before))
    const seen: Array<[string | undefined, unknown]> = []
    const server = await listen(
      createHttpsServer({ key: TLS["key"], cert: TLS["certificate"] }, (request: IncomingMessage, response) => {
        seen.push([request.headers.host, (request.socket as TLSSocket).servername])
        response.end("secure")
      })
    )
    const { post } = outbound("127.0.0.1", () => Effect.succeed(["127.0.0.1"]))
    assert.include(await post(`https://hooks.test:${server.port}`), { status: 200, body: "secure" })
    assert.deepStrictEqual(seen, [[`hooks.test:${server.port}`, "hooks.test"]])
    assert.deepStrictEqual(await post(`https://other.test:${server.port}`), { reason: "tls_wrong_host", sent: false })
    assert.deepStrictEqual(await post(`https://127.0.0.1:${server.port}`), { reason: "tls_wrong_host", sent: false })
    setDefaultCACertificates(before)
    assert.deepStrictEqual(await post(`https://localhost:${server.port}`), { reason: "tls_self_signed", sent: false })
    assert.lengthOf(seen, 1)
  })

  it.each([
    ["that has expired", "expired", "tls_expired"],
    ["that is not valid yet", "early", "tls_not_yet_valid"],
    ["of an unknown authority", "unknown-issuer", "tls_untrusted"]
  ])("says that it refuses a certificate %s", async (_, name, reason) => {
    const cert = readFileSync(join(import.meta.dirname, `../support/tls/${name}.pem`), "utf8")
    const before = getCACertificates("default")
    if (reason !== "tls_untrusted") setDefaultCACertificates([...before, cert])
    closing.push(async () => setDefaultCACertificates(before))
    const server = await listen(createHttpsServer({ key: TLS["key"], cert }, (_, response) => response.end("secure")))
    const { post } = outbound("127.0.0.1", () => Effect.succeed(["127.0.0.1"]))
    assert.deepStrictEqual(await post(`https://hooks.test:${server.port}`), { reason, sent: false })
  })
})

describe("a post", () => {
  const here = outbound.bind(null, "127.0.0.1")

  it("sends the body and headers as given, and returns the status, Retry-After and the body", async () => {
    const server = await answering(429, { "retry-after": "7", "x-other": "1" }, "slow\0 down")
    const answer = await here().post(`http://127.0.0.1:${server.port}/hooks?a=b`, {
      headers: { "webhook-id": "evt_1" }
    })
    assert.include(answer, { status: 429, body: "slow\uFFFD down" })
    assert.deepPropertyVal(answer, "headers", { retryAfter: "7" })
    assert.hasAllKeys(answer, ["status", "headers", "body", "latencyMs"])
    assert.match(
      server.received(),
      /^POST \/hooks\?a=b HTTP\/1\.1\r\n[\s\S]*webhook-id: evt_1\r\n[\s\S]*\r\n\r\n\{"n":1\}$/
    )
  })

  it("reuses connections", async () => {
    const server = await answering(200, {}, "ok")
    const { post } = here()
    for (let n = 0; n < 20; n++) assert.include(await post(`http://127.0.0.1:${server.port}`), { body: "ok" })
    // The next post may start just before the last connection is free.
    assert.isAtMost(server.sockets.length, 2)
  })

  it("does not follow a redirect", async () => {
    const inside = await answering(200, {}, "inside")
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await answering(status, { location: `http://127.0.0.1:${inside.port}/` }, "moved")
      assert.include(await here().post(`http://127.0.0.1:${server.port}`), { status, body: "moved" })
    }
    assert.lengthOf(inside.sockets, 0)
  })

  it("reads 8 KiB of 2 MB and closes the connection", async () => {
    const server = await answering(200, {}, "x".repeat(2 * 1024 * 1024))
    const answer = await here().post(`http://127.0.0.1:${server.port}`)
    assert.include(answer, { status: 200, body: "x".repeat(8192) })
    await until(
      "the connection to be closed",
      () => server.sockets[0]?.destroyed === true || server.sockets[0]?.readableEnded === true
    )
  })

  it("gives up on a server that never answers, and reports that the request may have arrived", async () => {
    const server = await misbehaving(() => {})
    assert.deepStrictEqual(await here().post(`http://127.0.0.1:${server.port}`, { totalTimeout: "2 seconds" }), {
      reason: "timeout",
      sent: true
    })
    await until(
      "the connection to be closed",
      () => server.sockets[0]?.destroyed === true || server.sockets[0]?.readableEnded === true
    )
  })

  it("gives up on headers that arrive too slowly", async () => {
    const server = await misbehaving((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const drip = setInterval(() => socket.write("x-a: b\r\n"), 20)
      socket.on("close", () => clearInterval(drip))
    })
    assert.deepStrictEqual(await here().post(`http://127.0.0.1:${server.port}`, { totalTimeout: "2 seconds" }), {
      reason: "timeout",
      sent: true
    })
  })

  it("uses the status as the answer when the body is slow, stops or breaks off", async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
    const servers = [
      await misbehaving((socket) => {
        socket.write(head)
        const drip = setInterval(() => socket.write("x"), 20)
        socket.on("close", () => clearInterval(drip))
      }),
      await misbehaving((socket) => socket.write(head)),
      await misbehaving((socket) => socket.end(`${head}xx`)),
      await misbehaving((socket) => socket.write(`${head}xx`, () => socket.resetAndDestroy())),
      await misbehaving((socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"))
    ]
    const answers = await Promise.all(
      servers.map(({ port }) => here().post(`http://127.0.0.1:${port}`, { totalTimeout: "2 seconds" }))
    )
    for (const answer of answers) assert.include(answer, { status: 200 })
  })

  it("does not treat an interim response as the final one", async () => {
    const server = await misbehaving((socket) =>
      socket.end("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    )
    assert.include(await here().post(`http://127.0.0.1:${server.port}`), { status: 204 })
  })

  it("distinguishes a connection closed before the answer from one that was never established", async () => {
    const [resetting, leaving] = [
      await misbehaving((socket) => socket.resetAndDestroy()),
      await misbehaving((socket) => socket.end())
    ]
    for (const { port } of [resetting, leaving])
      assert.deepStrictEqual(await here().post(`http://127.0.0.1:${port}`), { reason: "reset", sent: true })
    assert.deepStrictEqual(await here().post("http://127.0.0.1:1"), { reason: "connect_failed", sent: false })
    assert.deepStrictEqual(await outbound("").post("https://nowhere.example"), { reason: "unresolved", sent: false })
  })

  it("reports an answer that is not HTTP or consists only of headers", async () => {
    const servers = [
      await misbehaving((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n")),
      await misbehaving((socket) => socket.end(`HTTP/1.1 200 OK\r\nx-a: ${"x".repeat(100_000)}\r\n\r\n`)),
      await misbehaving((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx"))
    ]
    for (const { port } of servers)
      assert.deepStrictEqual(await here().post(`http://127.0.0.1:${port}`), { reason: "bad_response", sent: true })
  })

  it("has sent nothing when the TLS handshake is never answered, and gives it up sooner than an answer", async () => {
    const server = await listen(createServer())
    const posting = here().post(`https://127.0.0.1:${server.port}`)
    const sent = here().post(`http://127.0.0.1:${server.port}`)
    assert.deepStrictEqual(await Promise.race([posting, sent]), { reason: "timeout", sent: false })
    assert.deepStrictEqual(await sent, { reason: "timeout", sent: true })
  })

  it("is never sent if it was cancelled during the name lookup", async () => {
    const server = await answering(200)
    const found = Deferred.makeUnsafe<ReadonlyArray<string>>()
    const { post, dispose } = here(() => Deferred.await(found))
    assert.deepStrictEqual(await post(`http://late.example:${server.port}`, { totalTimeout: "100 millis" }), {
      reason: "timeout",
      sent: false
    })
    Effect.runSync(Deferred.succeed(found, ["127.0.0.1"]))
    await until("the connection", () => server.sockets.length === 1)
    await dispose()
    await until(
      "the end of the connection",
      () => server.sockets[0]?.readableEnded === true || server.sockets[0]?.destroyed === true
    )
    assert.strictEqual(server.received(), "")
  })
})
