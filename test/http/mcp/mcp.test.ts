import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as fc from "fast-check"
import { cardV2 } from "#test/support/files/cards.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { callTool, connectMcp } from "#test/support/mcp/mcp.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const READING = [
  "delivery_status",
  "get_character",
  "list_characters",
  "list_sessions",
  "read_events",
  "search_memories",
  "usage"
]
const WRITING = ["add_memory", "forget_memory", "import_character", "open_session", "retry_delivery", "send_message"]

let server: TestServer
let app: TestApp
let other: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { REQUESTS_PER_MINUTE: "1000000" } })
  app = await server.createApp()
  other = await server.createApp()
})
afterAll(() => server.close())

describe("an MCP client over HTTP", () => {
  it.each(["legacy", "auto", { pin: "2026-07-28" }] as const)(
    "sees only the tools that read unless it asks for writes, with annotations and schemas (%s)",
    async (mode) => {
      const reader = await connectMcp(app, { mode })
      const { tools } = await reader.listTools()
      assert.deepStrictEqual(tools.map(({ name }) => name).sort(), READING)
      for (const { name, title, description, annotations, outputSchema } of tools) {
        assert.isTrue(annotations?.readOnlyHint, name)
        assert.isString(title)
        assert.isAbove(description?.length ?? 0, 20)
        assert.strictEqual(outputSchema?.type, "object")
      }
      const refused = await callTool(reader, "send_message", { session_id: "ses_1", text: "Hi" }).catch(
        (error: Error) => ({ invalid: error.message })
      )
      assert.match(refused.invalid, /send_message/)
      const writer = await connectMcp(app, { mode, write: true })
      const all = (await writer.listTools()).tools
      assert.deepStrictEqual(all.map(({ name }) => name).sort(), [...READING, ...WRITING].sort())
      assert.deepStrictEqual(
        all.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name),
        ["forget_memory"]
      )
      await Promise.all([reader.close(), writer.close()])
    }
  )

  it("has a conversation: imports a character, opens a session, sends a message and reads the reply", async () => {
    const client = await connectMcp(app, { write: true })
    const imported = await callTool(client, "import_character", { card: cardV2() })
    const again = imported.committed
      ? imported
      : await callTool(client, "import_character", {
          card: cardV2(),
          accept_warnings: imported.warnings.map(({ code }: { code: string }) => code)
        })
    assert.isTrue(again.committed, JSON.stringify(again))
    const slug = again.character_slug
    const { characters } = await callTool(client, "list_characters")
    assert.isTrue(characters.some((each: { slug: string }) => each.slug === slug))
    assert.strictEqual((await callTool(client, "get_character", { slug })).slug, slug)
    const session = await callTool(client, "open_session", { character_slug: slug, external_user_ref: "person-1" })
    const sent = await callTool(client, "send_message", {
      session_id: session.id,
      text: "Hello, who are you?",
      idempotency_key: "first"
    })
    assert.strictEqual(sent.outcome, "replied", JSON.stringify(sent))
    assert.isNotEmpty(sent.bubbles)
    const repeated = await callTool(client, "send_message", {
      session_id: session.id,
      text: "Hello, who are you?",
      idempotency_key: "first"
    })
    assert.deepStrictEqual([repeated.run_ref, repeated.bubbles], [sent.run_ref, sent.bubbles])
    const { events } = await callTool(client, "read_events", { session_id: session.id })
    const users = events.filter(({ role }: { role: string }) => role === "user")
    assert.lengthOf(users, 1)
    const listed = await callTool(client, "list_sessions", { external_user_ref: "person-1" })
    assert.deepStrictEqual(
      listed.sessions.map(({ id }: { id: string }) => id),
      [session.id]
    )
    assert.isAtLeast((await callTool(client, "usage")).messages, 1)
    assert.deepStrictEqual((await callTool(client, "delivery_status", { session_id: session.id })).deliveries, [])
    await client.close()
  })

  it("says when a character stays silent, leaves or fails, and does not wait longer than it was asked", async () => {
    const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
    const demo = new TestApp(server.baseUrl, data.app_id, data.api_key)
    const session = await demo.createSession({ character_slug: data.character_slugs[0] })
    const client = await connectMcp(demo, { write: true })
    const send = (fault: string) =>
      demo.post(`/v1/sessions/${session}/messages`, { text: "Hi" }, { "x-sandbox-fault": fault })
    assert.strictEqual((await send("generation_failed")).status, 200)
    const sent = await callTool(client, "send_message", { session_id: session, text: "Hi there", wait: 0 })
    assert.include(["generating", "replied"], sent.outcome)
    assert.strictEqual((await send("exit")).status, 200)
    for (;;) {
      const refused = await callTool(client, "send_message", { session_id: session, text: "Hi", wait: 0 })
      if (refused.detail === undefined) continue
      assert.strictEqual(refused.detail.code, "session_exited")
      assert.isString(refused.detail.fix)
      break
    }
    await client.close()
  })

  it("searches, adds and forgets memories", async () => {
    const client = await connectMcp(app, { write: true })
    const session_id = await app.createSession()
    const added = await callTool(client, "add_memory", { session_id, text: "Nadia plays the cello.", pinned: true })
    const search = async () => (await callTool(client, "search_memories", { session_id, query: "cello" })).memories
    assert.deepStrictEqual(
      (await search()).map(({ id }: { id: string }) => id),
      [added.id]
    )
    const forgotten = await callTool(client, "forget_memory", { session_id, memory_id: added.id })
    assert.deepStrictEqual(forgotten, { forgotten: true, memory_id: added.id })
    assert.deepStrictEqual(await search(), [])
    await client.close()
  })

  it("reads character sheets and transcripts as resources, and gets the prompt that reviews a card", async () => {
    const client = await connectMcp(app)
    const slug = await app.createCharacter()
    const session = await app.createSession({ character_slug: slug })
    const { cursor } = (await app.post(`/v1/sessions/${session}/messages`, { text: "What is for dinner?" })).body.data
    await app.get(`/v1/sessions/${session}/events?since=${cursor + 1}&wait=20`)
    const { resources } = await client.listResources()
    assert.isTrue(resources.some(({ uri }) => uri === `troupe://characters/${slug}`))
    assert.lengthOf((await client.listResourceTemplates()).resourceTemplates, 2)
    const read = async (uri: string) => ((await client.readResource({ uri })).contents[0] as { text: string }).text
    assert.strictEqual(JSON.parse(await read(`troupe://characters/${slug}`)).slug, slug)
    const transcript = await read(`troupe://sessions/${session}/transcript`)
    assert.match(transcript, /\*\*Person\*\*.*\n\nWhat is for dinner\?/)
    assert.match(transcript, /\*\*Character\*\*/)
    const { prompts } = await client.listPrompts()
    assert.deepStrictEqual(
      prompts.map(({ name }) => name),
      ["review_card"]
    )
    const { messages } = await client.getPrompt({ name: "review_card", arguments: { slug } })
    assert.include(JSON.stringify(messages), "Sit down, the soup is hot.")
    await client.close()
  })
})

describe("the tools of an app", () => {
  it("find nothing of another app", async () => {
    const slug = await other.createCharacter()
    const session_id = await other.createSession({ character_slug: slug })
    const memory_id = (await other.post(`/v1/sessions/${session_id}/memories`, { text: "Nadia plays the cello." })).body
      .data.id
    const client = await connectMcp(app, { write: true })
    for (const [name, args, code] of [
      ["get_character", { slug }, "character_not_found"],
      ["read_events", { session_id }, "session_not_found"],
      ["send_message", { session_id, text: "Hi" }, "session_not_found"],
      ["search_memories", { session_id, query: "cello" }, "session_not_found"],
      ["add_memory", { session_id, text: "Hi." }, "session_not_found"],
      ["forget_memory", { session_id, memory_id }, "session_not_found"],
      ["delivery_status", { session_id }, "session_not_found"],
      ["open_session", { character_slug: slug, external_user_ref: "a" }, "character_not_found"]
    ] as const)
      assert.strictEqual((await callTool(client, name, args)).detail.code, code, name)
    assert.isFalse(
      (await callTool(client, "list_sessions", { limit: 100 })).sessions.some(
        ({ id }: { id: string }) => id === session_id
      )
    )
    for (const uri of [`troupe://characters/${slug}`, `troupe://sessions/${session_id}/transcript`])
      assert.match(await client.readResource({ uri }).then(String, ({ message }) => message), /not found/i)
    assert.isFalse((await client.listResources()).resources.some(({ uri }) => uri.endsWith(slug)))
    await client.close()
  })

  it("stop working as soon as the key is revoked or the app suspended", async () => {
    const { client: owner } = await createAccountIn(server)
    const { app_id } = (await owner.post("/v1/account/apps", { name: "short-lived" })).body.data
    const key = (await owner.post(`/v1/account/apps/${app_id}/api-keys`, { name: "backend" })).body.data
    const revoked = new TestApp(server.baseUrl, app_id, key.api_key)
    const client = await connectMcp(revoked)
    assert.deepStrictEqual((await callTool(client, "list_characters")).characters, [])
    await owner.post(`/v1/account/apps/${app_id}/api-keys/${key.prefix}/revoke`, {})
    const message = await callTool(client, "list_characters").then(String, ({ message }: Error) => message)
    assert.match(message, /403|invalid|revoked/i)
    await client.close().catch(() => {})
  })

  it("refuse a wrong key, an account token, no key, and a page of another site, in the contract's form", async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${server.baseUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
      })
    assert.strictEqual((await post({})).status, 401)
    assert.strictEqual((await post({ authorization: "Bearer ck_wrong" })).status, 403)
    const authorization = `Bearer ${app.key}`
    for (const origin of ["https://evil.example", "null", "http://localhost.evil.example"]) {
      const refused = await post({ authorization, origin })
      const { detail } = (await refused.json()) as { detail: { code: string } }
      assert.deepStrictEqual([refused.status, detail.code], [403, "origin_not_allowed"])
    }
    // A page that has rebound its name to this server sends that name as the host too.
    assert.strictEqual(
      (await post({ authorization, origin: "http://evil.example:80", host: "evil.example" })).status,
      403
    )
    assert.strictEqual((await post({ authorization, origin: server.baseUrl })).status, 200)
    for (const method of ["GET", "DELETE"])
      assert.strictEqual((await fetch(`${server.baseUrl}/mcp`, { method, headers: { authorization } })).status, 405)
  })

  it("count against the limits of the app", async () => {
    const limited = await startTestServer({ env: { REQUESTS_PER_MINUTE: "10" }, database: server.database })
    const small = await limited.createApp()
    const client = await connectMcp(small)
    let refused: unknown
    for (let n = 0; n < 10 && refused === undefined; n++)
      refused = await callTool(client, "list_characters").then(
        ({ detail }) => detail?.code,
        ({ message }: Error) => message
      )
    assert.match(String(refused), /rate_limited|429/)
    await client.close().catch(() => {})
    await limited.close()
  })

  it("answer hostile arguments with an error and never with a 500", async () => {
    const client = await connectMcp(app, { write: true })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    const fields = ["slug", "session_id", "text", "query", "cursor", "card", "limit", "since", "wait", "memory_id"]
    const hostile = fc.oneof(
      fc.constantFrom("..", "../../v1/me", "%2e%2e", "\u0000", "ses_", "a".repeat(100_000), "\ud800", "__proto__"),
      fc.integer(),
      fc.double(),
      fc.constant(null),
      fc.array(fc.constant("a"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("__proto__", "constructor", "a"), fc.string())
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom(...fields), hostile, { maxKeys: 4 }),
        async (name, args) => {
          const result = await callTool(client, name, { ...args, ...(name === "send_message" && { wait: 0 }) }).catch(
            ({ message }: Error) => ({ invalid: message })
          )
          assert.notMatch(JSON.stringify(result), /internal_error|Internal error|stack/)
        }
      ),
      { numRuns: 50 }
    )
    const session_id = await app.createSession()
    for (const idempotency_key of ["😀", "two\nlines", "\u0007", ""])
      assert.match(
        (await callTool(client, "send_message", { session_id, text: "Hi", wait: 0, idempotency_key })).invalid,
        /idempotency_key|printable ASCII/
      )
    for (const body of ["[]", "{}", "null", '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"nothing"}', "x"]) {
      const { status } = await app.request("POST", "/mcp", body, { accept: "application/json, text/event-stream" })
      assert.isBelow(status, 500, body)
    }
    await client.close()
  })
})
