import { randomUUID } from "node:crypto"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { EMBEDDER, jobsAreDone, PRICE, startEmbeddingServers } from "#test/support/model/embeddingServers.ts"
import type { FakeModel } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const NOTED = "My trombone is flat on cold mornings."
/** Has no word in common with what was noted. */
const QUESTION = "Which instrument was out of tune?"
const WORDS = 7
const QUESTION_WORDS = 6

let model: FakeModel
let server: TestServer
let without: TestServer
let app: TestApp
let close: () => Promise<void>
beforeAll(async () => {
  ;({ model, server, without, app, close } = await startEmbeddingServers())
})
afterAll(() => close())
afterEach(() => {
  model.embedder.behaviour = { kind: "good" }
})

interface Found {
  readonly kind: string
  readonly id: string
  readonly text: string
}
const small = (n: number) => `lantern${n} beside harbour${n}`
const SMALL_WORDS = 3
const OTHERS = 9

const add = async (by: TestApp, session: string, text: string): Promise<string> => {
  const { status, body } = await by.post(`/v1/sessions/${session}/memories`, { kind: "fact", text })
  assert.strictEqual(status, 200)
  return body.data.id
}
/** A short session to which the app has added memories: this one, and some that have nothing to do with it. */
const notedSession = async (by: TestApp, on: TestServer, first = NOTED, others = OTHERS, fields = {}) => {
  const session = await by.createSession(fields)
  const id = await add(by, session, first)
  for (let n = 0; n < others; n++) await add(by, session, small(n))
  await by.converse(session, "pebble")
  await jobsAreDone(on)
  return { session, id }
}
const recalled = async (by: TestApp, session: string, text: string): Promise<ReadonlyArray<Found>> =>
  (await by.post(`/v1/sessions/${session}/recall`, { text })).body.data.found
const memoriesFor = async (by: TestApp, session: string, text: string) =>
  (await recalled(by, session, text)).filter(({ kind }) => kind === "memory").map(({ text }) => text)
/** Searches again if the question was not embedded within a second, as then words alone count. */
const recalledWith = (by: TestApp, session: string, text: string, expected: string) =>
  until(`"${expected}" to be recalled`, async () => {
    const all = await recalled(by, session, text)
    return all.some(({ kind, text }) => kind === "memory" && text === expected) && all
  })
const vectorsOf = async (session: string): Promise<ReadonlyArray<{ id: string; size: number; model: string }>> =>
  server.database.sql<Array<{ id: string; size: number; model: string }>>`
    select memory_id as id, octet_length(vector) as size, model from memory_vectors
    where session_id = ${session} order by memory_id`
const spentOn = async ({ appId }: TestApp) => {
  const [row] = await server.database.sql<Array<{ spent: number }>>`
    select coalesce(sum(amount_micro_usd), 0)::int as spent from ledger
    where app_id = ${appId} and activity = 'embedding'`
  return row?.spent
}
const replyPrompt = () => JSON.stringify(model.requests.findLast(({ question }) => question === "reply")?.messages)

describe("with an embedding model, memories", () => {
  it("are recalled by a question without a word in common, and are not without the model", async () => {
    const { session, id } = await notedSession(app, server)
    const [first] = await recalledWith(app, session, QUESTION, NOTED)
    assert.deepInclude(first, { kind: "memory", id, text: NOTED })
    assert.include(await memoriesFor(app, session, "lantern3"), small(3))

    const requests = model.embedder.requests.length
    const other = await without.createApp()
    const elsewhere = await notedSession(other, without)
    assert.deepStrictEqual(await memoriesFor(other, elsewhere.session, QUESTION), [])
    await other.converse(elsewhere.session, QUESTION)
    await jobsAreDone(without)
    assert.strictEqual(model.embedder.requests.length, requests)
    const [row] = await without.database.sql`
      select count(*)::int as vectors from memory_vectors where app_id = ${other.appId}`
    assert.strictEqual(row?.["vectors"], 0)
  })

  it("reach the prompt of a turn that asks for them in other words", async () => {
    const { session } = await notedSession(app, server)
    // A turn whose message was not embedded within a second does without.
    await until("a turn that is given it", async () => {
      await app.converse(session, QUESTION)
      return replyPrompt().includes(NOTED)
    })
    const other = await without.createApp()
    const elsewhere = await notedSession(other, without)
    await other.converse(elsewhere.session, QUESTION)
    assert.notInclude(replyPrompt(), NOTED)
  })

  it("lose their vector when they are forgotten, and are not found any more", async () => {
    const { session, id } = await notedSession(app, server)
    assert.include(
      (await vectorsOf(session)).map(({ id }) => id),
      id
    )
    assert.strictEqual((await app.delete(`/v1/sessions/${session}/memories/${id}`)).status, 200)
    assert.notInclude(
      (await vectorsOf(session)).map(({ id }) => id),
      id
    )
    assert.lengthOf(await vectorsOf(session), OTHERS)
    assert.notInclude((await memoriesFor(app, session, QUESTION)).join(), "trombone")
    await app.converse(session, "another pebble")
    await jobsAreDone(server)
    assert.lengthOf(await vectorsOf(session), OTHERS)
  })

  it("lose their vector when their text changes, and are found by the new text later", async () => {
    const { session, id } = await notedSession(app, server)
    const changed = "My cousin collects thimbles."
    assert.strictEqual((await app.patch(`/v1/sessions/${session}/memories/${id}`, { text: changed })).status, 200)
    assert.notInclude(
      (await vectorsOf(session)).map(({ id }) => id),
      id
    )
    for (let n = 20; n < 28; n++) await add(app, session, small(n))
    await app.converse(session, "another pebble")
    await jobsAreDone(server)
    assert.notInclude(await memoriesFor(app, session, QUESTION), changed)
    await recalledWith(app, session, "Who hoards trinkets?", changed)
  })

  it("that are forgotten while the model embeds them get no vector", async () => {
    const release = Promise.withResolvers<void>()
    model.embedder.behaviour = { kind: "good", after: release.promise }
    const before = model.embedder.requests.length
    const session = await app.createSession()
    const id = await add(app, session, NOTED)
    for (let n = 0; n < OTHERS; n++) await add(app, session, small(n))
    await app.converse(session, "pebble")
    await until("the request", () => model.embedder.requests.length > before)
    assert.strictEqual((await app.delete(`/v1/sessions/${session}/memories/${id}`)).status, 200)
    release.resolve()
    await jobsAreDone(server)
    const embedded = await vectorsOf(session)
    assert.lengthOf(embedded, OTHERS)
    assert.notInclude(
      embedded.map(({ id }) => id),
      id
    )
  })

  it("are not embedded if they have been forgotten while the model failed", async () => {
    model.embedder.behaviour = { kind: "status", status: 503 }
    const { session, id } = await notedSession(app, server, "My cousin Ottilie collects thimbles.")
    assert.lengthOf(await vectorsOf(session), 0)
    assert.strictEqual((await app.delete(`/v1/sessions/${session}/memories/${id}`)).status, 200)
    model.embedder.behaviour = { kind: "good" }
    const before = model.embedder.requests.length
    await app.converse(session, "another pebble")
    await jobsAreDone(server)
    const sent = model.embedder.requests.slice(before).flatMap(({ input }) => input)
    assert.include(sent, small(0))
    assert.notInclude(sent.join(), "thimbles")
    assert.lengthOf(await vectorsOf(session), OTHERS)
  })

  it("are embedded once, in one request, and their cost is booked", async () => {
    const own = await server.createApp({ budgetUsd: 1_000 })
    const before = model.embedder.requests.length
    const { session } = await notedSession(own, server)
    const first = model.embedder.requests.slice(before).find(({ input }) => input.includes(NOTED))
    assert.deepStrictEqual(first?.input, [NOTED, ...Array.from({ length: OTHERS }, (_, n) => small(n))])
    assert.isTrue((await vectorsOf(session)).every(({ size, model }) => size === 256 && model === EMBEDDER))
    const embedded = (WORDS + OTHERS * SMALL_WORDS) * PRICE
    assert.strictEqual(await spentOn(own), embedded)
    await own.converse(session, "another pebble")
    await jobsAreDone(server)
    assert.strictEqual(await spentOn(own), embedded)
    await recalled(own, session, QUESTION)
    assert.strictEqual(await spentOn(own), embedded + QUESTION_WORDS * PRICE)
  })

  it("cost nothing while the app has added only a few", async () => {
    const own = await server.createApp()
    const before = model.embedder.requests.length
    const { session } = await notedSession(own, server, NOTED, 3)
    await memoriesFor(own, session, QUESTION)
    assert.strictEqual(model.embedder.requests.length, before)
    assert.strictEqual(await spentOn(own), 0)
  })

  it("that the budget does not cover are not embedded", async () => {
    const embeddedWith = async (budgetUsd: number) => {
      const own = await server.createApp({ budgetUsd })
      const session = await own.createSession()
      for (const text of [NOTED, ...Array.from({ length: OTHERS }, (_, n) => small(n))]) await add(own, session, text)
      await own.post(`/v1/sessions/${session}/history`, {
        messages: [{ role: "user", text: "pebble", at: "2025-03-01T10:00:00Z" }]
      })
      await jobsAreDone(server)
      return (await vectorsOf(session)).length
    }
    assert.strictEqual(await embeddedWith(0.001), 0)
    assert.strictEqual(await embeddedWith(1_000), OTHERS + 1)
  })

  it("of a long conversation are embedded together with what was said", async () => {
    const session = await app.createSession()
    const messages = Array.from({ length: 40 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "character",
      text: n === 0 ? NOTED : small(n),
      at: new Date(Date.parse("2025-03-01T10:00:00Z") + n * 60_000).toISOString()
    }))
    await add(app, session, "My cousin collects thimbles.")
    const before = model.embedder.requests.length
    assert.strictEqual((await app.post(`/v1/sessions/${session}/history`, { messages })).status, 200)
    await jobsAreDone(server)
    const [first, ...more] = model.embedder.requests.slice(before)
    assert.lengthOf(more, 0)
    assert.include(first?.input ?? [], "My cousin collects thimbles.")
    // What the rules noted has the words of the message.
    assert.lengthOf(first?.input.filter((text) => text === NOTED) ?? [], 1)
    await recalledWith(app, session, "Who hoards trinkets?", "My cousin collects thimbles.")
  })

  it("of another model are replaced", async () => {
    const { session } = await notedSession(app, server)
    await server.database.sql`update memory_vectors set model = 'older' where session_id = ${session}`
    assert.notInclude(await memoriesFor(app, session, QUESTION), NOTED)
    await app.converse(session, "another pebble")
    await jobsAreDone(server)
    await recalledWith(app, session, QUESTION, NOTED)
    assert.deepStrictEqual([...new Set((await vectorsOf(session)).map(({ model }) => model))], [EMBEDDER])
  })

  it("leave no vector when the person is erased", async () => {
    const person = randomUUID()
    const { session } = await notedSession(app, server, NOTED, OTHERS, { external_user_ref: person })
    assert.isNotEmpty(await vectorsOf(session))
    const { erasure_id } = (await app.delete(`/v1/end-users/${person}`)).body.data
    await until(
      "the erasure to be completed",
      async () => (await app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.lengthOf(await vectorsOf(session), 0)
  })
})
