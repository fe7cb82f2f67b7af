import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startReceiver, status as answer } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(() => server.close())

interface Message {
  readonly role: "user" | "character"
  readonly text: string
  readonly at: string
}
interface Logged {
  readonly type: string
  readonly role: string
  readonly created_at: string
  readonly payload: { readonly text: string }
  readonly source_ref: { readonly kind: string }
}
interface Found {
  readonly kind: string
  readonly text: string
  readonly score: number
}
const said = (n: number, text: string): Message => ({
  role: n % 2 === 0 ? "user" : "character",
  text,
  at: new Date(Date.parse("2025-03-01T10:00:00Z") + n * 60_000).toISOString()
})
const talk = (...texts: ReadonlyArray<string>) => texts.map((text, n) => said(n, text))
const add = (session: string, messages: ReadonlyArray<Message>, headers?: Record<string, string>) =>
  app.post(`/v1/sessions/${session}/history`, { messages }, headers)
const recall = async (session: string, text: string, limit = 10) =>
  (await app.post(`/v1/sessions/${session}/recall`, { text, limit })).body.data.found
const memories = async (session: string): Promise<ReadonlyArray<string>> =>
  (await app.get(`/v1/sessions/${session}/memories?limit=100`)).body.data.memories.map(
    ({ text }: { text: string }) => text
  )
const remembered = (session: string, word: string) =>
  until("the history to be read", async () => {
    const all = await memories(session)
    return all.some((text) => text.includes(word)) ? all : undefined
  })

describe("history", () => {
  it("becomes the beginning of the log, in order, with its own times and source", async () => {
    const session = await app.createSession()
    const before = (await app.get(`/v1/sessions/${session}`)).body.data.last_cursor
    const { status, body } = await add(
      session,
      talk("My sister Nadia plays the cello.", "A low voice.", "she's in Leipzig")
    )
    assert.strictEqual(status, 200)
    assert.deepInclude(body.data, { appended: 3, first_cursor: before + 1, last_cursor: before + 3, total: 3 })
    const { events } = (await app.get(`/v1/sessions/${session}/events?since=${before}`)).body.data
    assert.deepStrictEqual(
      events.map(({ type, role, created_at, payload, source_ref }: Logged) => [
        type,
        role,
        created_at,
        payload.text,
        source_ref.kind
      ]),
      [
        ["message.created", "user", "2025-03-01T10:00:00.000Z", "My sister Nadia plays the cello.", "history"],
        ["message.created", "character", "2025-03-01T10:01:00.000Z", "A low voice.", "history"],
        ["message.created", "user", "2025-03-01T10:02:00.000Z", "she's in Leipzig", "history"]
      ]
    )
  })

  it("is read and found, and the next turn knows it", async () => {
    const session = await app.createSession()
    await add(session, talk("the cat's called Professor", "A learned cat.", "she's fourteen now", "An old lady."))
    const all = await remembered(session, "Professor")
    assert.isTrue(all.some((text) => text.includes("fourteen")))
    const found = await recall(session, "What is my pet called?")
    assert.isTrue(found.some(({ kind, text }: Found) => kind === "memory" && text.includes("Professor")))
    assert.isTrue(found.some(({ kind, text }: Found) => kind === "said" && text.includes("Professor")))
    const scores = found.map(({ score }: Found) => score)
    assert.deepStrictEqual(
      scores,
      scores.toSorted((a: number, b: number) => b - a)
    )
    const reply = await app.converse(session, "What's my cat called?")
    assert.include(JSON.stringify(reply), "Professor")
  })

  it("takes many calls, and finds something in thousands of messages", async () => {
    const session = await app.createSession()
    const filler = Array.from({ length: 1_000 }, (_, n) => said(n, `small talk number ${n} about the weather`))
    assert.strictEqual((await add(session, filler)).status, 200)
    const told = talk("I keep bees on the roof of the bakery", "Do they like it up there?")
    const later = Array.from(told, (message, n) => ({
      ...message,
      at: new Date(Date.parse("2025-04-01T10:00:00Z") + n).toISOString()
    }))
    const { body } = await add(session, later)
    assert.strictEqual(body.data.total, 1_002)
    const [best] = await recall(session, "where are my bees?")
    assert.include(best.text, "bees")
  })

  it("is refused after the first message, out of order, in the future, and beyond its limits", async () => {
    const session = await app.createSession()
    const messages = talk("one", "two")
    assert.strictEqual((await add(session, messages.toReversed())).body.detail.code, "validation_error")
    assert.strictEqual((await add(session, [{ ...said(0, "later"), at: "2999-01-01T00:00:00Z" }])).status, 422)
    assert.strictEqual((await add(session, [])).status, 422)
    assert.strictEqual(
      (
        await add(
          session,
          Array.from({ length: 1_001 }, (_, n) => said(n, "x"))
        )
      ).status,
      422
    )
    await add(session, talk("one", "two", "three"))
    assert.strictEqual((await add(session, messages)).body.detail.code, "validation_error")
    await app.send(session, "hello")
    const late = await add(session, [said(9, "later")])
    assert.deepStrictEqual([late.status, late.body.detail.code], [409, "history_too_late"])
    assert.strictEqual((await add("ses_00000000000000000000000000", messages)).status, 404)
  })

  it("is refused as a whole when it would exceed ten thousand messages", async () => {
    const session = await app.createSession()
    await server.database.sql`update session_logs set history_count = 9999 where session_id = ${session}`
    const { status, body } = await add(session, talk("one", "two"))
    assert.deepStrictEqual([status, body.detail.code], [409, "history_full"])
    assert.strictEqual((await add(session, talk("one"))).status, 200)
  })

  it("is appended once under an Idempotency-Key", async () => {
    const session = await app.createSession()
    const headers = { "Idempotency-Key": randomUUID() }
    const first = (await add(session, talk("one", "two"), headers)).body.data
    const again = (await add(session, talk("one", "two"), headers)).body.data
    assert.deepStrictEqual(again, { ...first, idempotent_replay: true })
    assert.strictEqual((await app.get(`/v1/sessions/${session}`)).body.data.last_cursor, first.last_cursor)
  })

  it("is not pushed to webhooks, which get what comes after it", async () => {
    const receiver = await startReceiver(answer(200))
    try {
      const session = await app.createSession()
      await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url })
      await add(session, talk("My sister Nadia plays the cello.", "A low voice."))
      await app.send(session, "hello again")
      const texts = await until("the message to be pushed", async () => {
        const all = receiver.requests.map(({ body }) => body.toString())
        return all.some((body) => body.includes("hello again")) ? all : undefined
      })
      assert.isFalse(texts.some((body) => body.includes("Nadia plays")))
    } finally {
      await receiver.close()
    }
  })
})

describe("forgetting", () => {
  it("is confirmed, and hides the words in recall and in later answers", async () => {
    const session = await app.createSession()
    await add(
      session,
      talk("my boyfriend is called Callum", "A good name.", "I work at the harbour", "In any weather?")
    )
    await remembered(session, "Callum")
    const confirmed = JSON.stringify(await app.converse(session, "please forget about Callum"))
    assert.match(confirmed, /forgot|forgotten|gone|let go/i)
    await until("the memory to be forgotten", async () =>
      (await memories(session)).some((text) => text.includes("Callum")) ? undefined : true
    )
    assert.notInclude(JSON.stringify(await recall(session, "what is my boyfriend called?", 100)), "Callum")
    assert.notInclude(JSON.stringify(await app.converse(session, "what's my boyfriend called?")), "Callum")
    assert.include(JSON.stringify(await recall(session, "where do I work?")), "harbour")
  })

  it("is not asked for by a request to remember", async () => {
    const session = await app.createSession()
    await add(session, talk("my birthday is on the 3rd of May", "In spring."))
    await remembered(session, "birthday")
    await app.converse(session, "don't forget my birthday")
    assert.isTrue((await memories(session)).some((text) => text.includes("birthday")))
  })
})
