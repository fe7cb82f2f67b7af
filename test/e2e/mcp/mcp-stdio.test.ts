import { randomBytes } from "node:crypto"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { example, ROOT } from "#test/support/sources/docs.ts"
import { callTool } from "#test/support/mcp/mcp.ts"
import { callEvents, confirm, converse, openEvents, refusalOf } from "#test/support/mcp/mcpEvents.ts"
import { programFile } from "#test/support/suite/program.ts"
import { startReceiver } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(() => server.close())

const connect = async (mode: "legacy" | "auto", key: string, ...args: ReadonlyArray<string>) => {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [programFile(), "mcp", ...args],
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", TROUPE_URL: server.baseUrl, TROUPE_KEY: key },
      stderr: "pipe"
    })
  )
  return client
}

describe("troupe mcp", () => {
  it("offers the tools that read, and with --allow-write all of them, over stdin and stdout", async () => {
    const reader = await connect("legacy", app.key)
    assert.lengthOf((await reader.listTools()).tools, 7)
    await reader.close()
    const writer = await connect("auto", app.key, "--allow-write")
    assert.lengthOf((await writer.listTools()).tools, 13)
    const slug = await app.createCharacter()
    const session = await callTool(writer, "open_session", { character_slug: slug, external_user_ref: "person-1" })
    const sent = await callTool(writer, "send_message", { session_id: session.id, text: "What is for dinner?" })
    assert.strictEqual(sent.outcome, "replied")
    const { contents } = await writer.readResource({ uri: `troupe://sessions/${session.id}/transcript` })
    assert.include(JSON.stringify(contents), "What is for dinner?")
    await writer.close()
  })

  it("polls and streams the app's events, and with --allow-write pushes them to a webhook", async () => {
    const receiver = await startReceiver(confirm)
    for (const mode of ["legacy", "auto"] as const) {
      const client = await connect(mode, app.key, "--allow-write")
      const { events } = await callEvents(client, "list")
      assert.deepStrictEqual(events[0].delivery, ["poll", "push", "webhook"])
      const { cursor } = await callEvents(client, "poll", { name: "feed" })
      const secret = `whsec_${randomBytes(32).toString("base64")}`
      const params = { name: "message.created", delivery: { url: receiver.url, secret } }
      const { id } = await callEvents(client, "subscribe", params)
      const stream = openEvents(client, { name: "feed", cursor })
      await stream.next(({ kind }) => kind === "active")
      const index = receiver.requests.length
      const reply = await converse(app, await app.createSession(), "What is for dinner?")
      await stream.next(({ params }) => params.eventId === reply.id)
      assert.strictEqual((await receiver.received(index)).headers["x-mcp-subscription-id"], id)
      await callEvents(client, "unsubscribe", params)
      stream.close()
      assert.instanceOf(await stream.ended, Error)
      const heard = stream.heard.length
      await converse(app, await app.createSession(), "And on Sunday?")
      const polled = await callEvents(client, "poll", { name: "feed", cursor })
      assert.include(JSON.stringify(polled.events), "Sunday")
      assert.lengthOf(stream.heard, heard)
      await client.close()
    }
    await receiver.close()
  })

  it("offers no webhooks without --allow-write, and answers an expired cursor with where to start", async () => {
    const reader = await connect("auto", app.key)
    assert.deepStrictEqual((await callEvents(reader, "list")).events[0].delivery, ["poll", "push"])
    const delivery = { url: "https://127.0.0.1:1/hook", secret: `whsec_${randomBytes(32).toString("base64")}` }
    assert.strictEqual((await refusalOf(reader, "subscribe", { name: "feed", delivery })).code, -32014)
    const elsewhere = await startTestServer()
    const other = await elsewhere.createApp()
    await converse(other, await other.createSession(), "What is for dinner?")
    const cursor = (await other.get("/v1/events")).body.data.next_cursor
    await elsewhere.close()
    const { message, data } = await refusalOf(reader, "poll", { name: "feed", cursor })
    assert.match(message, /Continue from since=/)
    assert.isString((await callEvents(reader, "poll", { name: "feed", cursor: data.cursor })).cursor)
    await reader.close()
  })

  it("reports a wrong key and a server that cannot be reached as errors of the tools", async () => {
    const wrong = await connect("legacy", "ck_wrong")
    assert.isString((await callTool(wrong, "list_characters")).detail)
    await wrong.close()
    const nowhere = await connect("legacy", app.key, "--url", "http://127.0.0.1:1")
    assert.match((await callTool(nowhere, "list_characters")).detail, /cannot be reached/)
    await nowhere.close()
  })

  it("is configured in a client as the docs say, and so is the address of the server", async () => {
    const read = (marker: "mcp-http" | "mcp-stdio") =>
      JSON.parse(
        example(marker)
          .replace("http://127.0.0.1:8080", server.baseUrl)
          .replace("ck_...", app.key)
          .replace("/path/to/troupe", ROOT)
      ).mcpServers.troupe
    const { command, args, env } = read("mcp-stdio")
    const { url, headers } = read("mcp-http")
    for (const transport of [
      new StdioClientTransport({ command, args, env: { ...env, PATH: process.env["PATH"] ?? "" }, stderr: "pipe" }),
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    ]) {
      const client = new Client({ name: "test", version: "1.0.0" })
      await client.connect(transport)
      assert.lengthOf((await client.listTools()).tools, 7)
      await client.close()
    }
  })
})
