import { once } from "node:events"
import { request as send } from "node:http"
import { connect, type Socket } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { cardV2 } from "#test/support/files/cards.ts"
import { longestLoopBlock } from "#test/support/effort/longestLoopBlock.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startSender } from "#test/support/effort/startSender.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const MIB = 1024 * 1024
/** The maximum time on the server's own thread for one request. */
const MAX_TURN_MS = 50

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { DEMO_KEYS_PER_HOUR: "100" } })
})
afterAll(() => server.close())

const demoApp = async (): Promise<TestApp> => {
  const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
  return new TestApp(server.baseUrl, data.app_id, data.api_key)
}

/** Posts raw bytes. */
const post = (app: TestApp, path: string, body: Buffer, headers: Record<string, string> = {}, method = "POST") =>
  new Promise<{ readonly status: number; readonly body: any }>((resolve, reject) => {
    const asked = send(
      server.baseUrl + path,
      { method, headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json", ...headers } },
      (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(body) }), reject)
      }
    )
    asked.on("error", reject)
    if (headers["transfer-encoding"] === "chunked")
      Readable.from([body.subarray(0, body.length / 2), body.subarray(body.length / 2)]).pipe(asked)
    else asked.end(body)
  })

const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))

/** Starts a request whose body never arrives. */
const begin = async (
  app: TestApp,
  bytes: number
): Promise<{ readonly socket: Socket; readonly answer: () => string }> => {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  let answer = ""
  socket
    .setEncoding("utf8")
    .on("data", (data: string) => {
      answer += data
    })
    .on("error", () => {})
  await once(socket, "connect")
  socket.write(
    `POST /v1/imports HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${app.key}\r\ncontent-type: ` +
      `application/json\r\ncontent-length: ${bytes}\r\n\r\n`
  )
  return { socket, answer: () => answer }
}

describe("the server's own thread", () => {
  const large = (n: number) =>
    bodyOf({
      json: cardV2({
        name: `Large ${n}`,
        creator_notes: "x".repeat(8 * MIB),
        extensions: { list: Array.from({ length: 20_000 }, (_, at) => ({ at })) }
      })
    })

  it("is not blocked by eight large imports at once, and serves another app meanwhile", async () => {
    const [flooding, quiet] = [await server.createApp(), await server.createApp()]
    const bodies = Array.from({ length: 8 }, (_, n) => large(n))
    const sender = await startSender({ url: `${server.baseUrl}/v1/imports`, key: flooding.key, bodies })
    const { result, turnMs } = await longestLoopBlock(async () => {
      const imports = sender.send()
      const served = await quiet.get("/v1/me")
      return { served, statuses: await imports }
    })
    await sender.close()
    assert.strictEqual(result.served.status, 200)
    assert.includeMembers([200, 429], [...new Set(result.statuses)])
    assert.include(result.statuses, 200)
    assert.isBelow(turnMs, MAX_TURN_MS)
  })

  it.each([
    ["the maximum number of values", bodyOf({ text: "x", list: Array.from({ length: 49_000 }, (_, at) => at % 10) })],
    ["one value too many", Buffer.from(`{"text":"x","list":[${"[],".repeat(300_000)}0]}`)],
    [
      "a list of unknown fields",
      bodyOf({
        slug: "x",
        display_name: "x",
        interests: Array.from({ length: 45_000 }, () => 1),
        voice_samples: Array.from({ length: 1 }, () => 1)
      })
    ],
    ["escapes", Buffer.from(`{"text":"${"\\u0041".repeat(150_000)}"}`)],
    ["long numbers", Buffer.from(`{"text":"x","list":[${"123456789012345678901234567890,".repeat(25_000)}0]}`)],
    ["deep nesting", Buffer.from(`{"text":${"[".repeat(20_000)}${"]".repeat(20_000)}}`)]
  ])("is not blocked by a body of a megabyte: %s", async (_, body) => {
    const app = await server.createApp()
    await app.get("/v1/me")
    const sender = await startSender({ url: `${server.baseUrl}/v1/characters`, key: app.key, bodies: [body] })
    // The best of three tries, because the first ones may compile or collect garbage.
    let least = Infinity
    for (let tries = 0; tries < 3 && least >= MAX_TURN_MS; tries++) {
      const { result, turnMs } = await longestLoopBlock(sender.send)
      assert.include([413, 422], result[0])
      least = Math.min(least, turnMs)
    }
    await sender.close()
    assert.isBelow(least, MAX_TURN_MS)
  })

  it("is not blocked by a picture that is written in escapes", async () => {
    const app = await server.createApp()
    const url = `${server.baseUrl}/v1/characters/${await app.createCharacter()}/assets`
    const body = Buffer.from(`{"kind":"avatar","content_base64":"${"\\u0041".repeat(650_000)}"}`)
    const sender = await startSender({ url, key: app.key, bodies: [body] })
    const turns: Array<number> = []
    for (let tries = 0; tries < 3; tries++) {
      const { result, turnMs } = await longestLoopBlock(sender.send)
      assert.deepStrictEqual(result, [422])
      turns.push(turnMs)
    }
    await sender.close()
    assert.isBelow(Math.min(...turns), 20)
  })
})

describe("a demo key", () => {
  it.each<[string, Record<string, string>]>([
    ["announced", {}],
    ["in chunks", { "transfer-encoding": "chunked" }]
  ])("may not send a body of more than 1 MiB, on any route: %s", async (_, headers) => {
    const app = await demoApp()
    const { status, body } = await post(
      app,
      "/v1/imports",
      bodyOf({ json: cardV2({ creator_notes: "x".repeat(2 * MIB) }) }),
      headers
    )
    assert.deepStrictEqual([status, body.detail.code], [413, "payload_too_large"])
    assert.include(body.detail.message, "demo key")
    const small = await post(
      app,
      "/v1/imports",
      bodyOf({ json: cardV2({ creator_notes: "x".repeat(MIB / 2) }) }),
      headers
    )
    assert.strictEqual(small.status, 200)
  })

  it("learns that it has no room for an import before it sends the body, but still gets a replay", async () => {
    const app = await demoApp()
    const body = bodyOf({ json: cardV2() })
    for (let n = 0; n < 5; n++)
      assert.strictEqual((await post(app, "/v1/imports", body, { "idempotency-key": `k${n}` })).status, 200)
    const { socket, answer } = await begin(app, 1000)
    await until("an answer without a body", async () => (answer() === "" ? undefined : true))
    socket.destroy()
    assert.include(answer(), " 409 ")
    assert.include(answer(), "import_limit_reached")
    const again = await post(app, "/v1/imports", body, { "idempotency-key": "k0" })
    assert.isTrue(again.body.data.idempotent_replay)
  })
})

describe("large bodies of one app", () => {
  it("are read one at a time, a few wait, and others get 429; another app's are read meanwhile", async () => {
    const [app, other] = [await server.createApp(), await server.createApp()]
    const held = await begin(app, 2 * MIB)
    const waiting = await Promise.all(Array.from({ length: 6 }, () => begin(app, 2 * MIB)))
    await until("one too many", async () => (waiting.some(({ answer }) => answer() !== "") ? true : undefined))
    const refused = waiting.filter(({ answer }) => answer() !== "")
    assert.isAtLeast(refused.length, 1)
    assert.match(refused[0]?.answer() ?? "", / 429 [^]*retry-after: 1[^]*rate_limited/i)
    const body = bodyOf({ json: cardV2({ creator_notes: "x".repeat(2 * MIB) }) })
    assert.strictEqual((await post(other, "/v1/imports", body)).status, 200)
    for (const { socket } of [held, ...waiting]) socket.destroy()
    await until("the connection to be free", async () =>
      (await post(app, "/v1/imports", body)).status === 200 ? true : undefined
    )
  })

  it("do not delay small ones", async () => {
    const app = await server.createApp()
    const held = await begin(app, 2 * MIB)
    assert.strictEqual((await post(app, "/v1/imports", bodyOf({ json: cardV2() }))).status, 200)
    held.socket.destroy()
  })
})

describe("waiting bodies", () => {
  it("are limited for each app, others get 429, and all requests are answered", async () => {
    const app = await server.createApp()
    const body = bodyOf({ text: "x".repeat(100_000) })
    const answers = await Promise.all(Array.from({ length: 60 }, () => post(app, "/v1/characters", body)))
    const statuses = new Set(answers.map(({ status }) => status))
    assert.includeMembers([422, 429], [...statuses])
    assert.include([...statuses], 422)
  })
})
