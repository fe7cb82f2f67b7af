import { randomUUID } from "node:crypto"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { EMBEDDER, jobsAreDone, PRICE, startEmbeddingServers } from "#test/support/model/embeddingServers.ts"
import type { FakeModel } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import type { TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const TOLD = "My trombone is flat on cold mornings."
/** Has no word in common with what was told. */
const QUESTION = "Which instrument was out of tune?"

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
  readonly text: string
}
const small = (n: number) => `lantern${n} beside harbour${n}`
/** A long conversation that was held elsewhere, which begins with this. */
const historyOf = (first: string, length = 40) =>
  [first, ...Array.from({ length: length - 1 }, (_, n) => small(n))].map((text, n) => ({
    role: n % 2 === 0 ? "user" : "character",
    text,
    at: new Date(Date.parse("2025-03-01T10:00:00Z") + n * 60_000).toISOString()
  }))

const longSession = async (by: TestApp, on: TestServer, first = TOLD, fields: Record<string, unknown> = {}) => {
  const session = await by.createSession(fields)
  const { status } = await by.post(`/v1/sessions/${session}/history`, { messages: historyOf(first) })
  assert.strictEqual(status, 200)
  await jobsAreDone(on)
  return session
}
const found = async (by: TestApp, session: string, text: string): Promise<ReadonlyArray<Found>> =>
  (await by.post(`/v1/sessions/${session}/recall`, { text })).body.data.found
const said = async (by: TestApp, session: string, text: string): Promise<ReadonlyArray<string>> =>
  (await found(by, session, text)).filter(({ kind }) => kind === "said").map(({ text }) => text)
/** Searches again if the question was not embedded within a second, as then words alone count. */
const saidWith = (by: TestApp, session: string, text: string, expected: string) =>
  until(`"${expected}" to be found`, async () => {
    const all = await said(by, session, text)
    return all.includes(expected) && all
  })
const sizesOf = async (session: string): Promise<ReadonlyArray<number>> =>
  (
    await server.database.sql<Array<{ size: number }>>`
      select octet_length(vector) as size from utterance_vectors where session_id = ${session} order by cursor`
  ).map(({ size }) => size)
const spentOn = async ({ appId }: TestApp) => {
  const [row] = await server.database.sql<Array<{ spent: number; entries: number }>>`
    select coalesce(sum(amount_micro_usd), 0)::int as spent, count(*)::int as entries from ledger
    where app_id = ${appId} and activity = 'embedding'`
  return { spent: 0, entries: 0, ...row }
}

describe("with an embedding model", () => {
  it("a question without a word in common finds what was said, and without the model it does not", async () => {
    const session = await longSession(app, server)
    assert.strictEqual((await saidWith(app, session, QUESTION, TOLD))[0], TOLD)
    assert.include(await said(app, session, "lantern3"), small(3))
    const requests = model.embedder.requests.length

    const other = await without.createApp()
    const elsewhere = await longSession(other, without)
    assert.notInclude(await said(other, elsewhere, QUESTION), TOLD)
    await other.converse(elsewhere, QUESTION)
    await jobsAreDone(without)
    assert.strictEqual(model.embedder.requests.length, requests)
  })

  it("a turn is given what was said, and pays for the embedding of its message", async () => {
    const session = await longSession(app, server)
    // A turn whose message was not embedded within a second does without.
    const runRef = await until("a turn that is given it", async () => {
      const { trace_id } = await app.converse(session, QUESTION)
      const prompt = JSON.stringify(model.requests.findLast(({ question }) => question === "reply")?.messages)
      return prompt.includes(TOLD) && trace_id
    })
    const [turn] = (await app.get(`/v1/sessions/${session}/trace?run_ref=${runRef}`)).body.data.trace
    const stage = turn.stages.find(({ stage }: { stage: string }) => stage === "retrieval")
    assert.strictEqual(stage.model, EMBEDDER)
    assert.strictEqual(stage.input_tokens, 6)
    assert.strictEqual(stage.cost_usd, (6 * PRICE) / 1_000_000)
    assert.strictEqual(turn.cost_usd, stage.cost_usd)
  })

  it("embeds what is about to leave the prompt, in few requests, and each utterance once", async () => {
    const before = model.embedder.requests.length
    const session = await longSession(app, server)
    const [first] = model.embedder.requests.slice(before)
    assert.strictEqual(model.embedder.requests.length, before + 1)
    assert.deepInclude(first, { model: EMBEDDER, dimensions: 256, encoding_format: "float" })
    assert.deepStrictEqual(
      first?.input,
      historyOf(TOLD)
        .slice(0, 32)
        .map(({ text }) => text)
    )
    assert.deepStrictEqual(
      await sizesOf(session),
      Array.from({ length: 32 }, () => 256)
    )
    for (let n = 0; n < 2; n++) await app.converse(session, `pebble${n}`)
    await jobsAreDone(server)
    const texts = model.embedder.requests.slice(before + 1).filter(({ input }) => input.length > 1)
    assert.deepStrictEqual(
      texts.map(({ input }) => input),
      [
        historyOf(TOLD)
          .slice(32, 36)
          .map(({ text }) => text)
      ]
    )
  })

  it("a short session costs nothing", async () => {
    const own = await server.createApp()
    const before = model.embedder.requests.length
    const session = await own.createSession()
    await own.converse(session, TOLD)
    await own.converse(session, QUESTION)
    await jobsAreDone(server)
    await said(own, session, QUESTION)
    assert.strictEqual(model.embedder.requests.length, before)
    assert.strictEqual((await spentOn(own)).spent, 0)
  })

  it("recall stays as it was while the model fails or stalls, and embeds later", async () => {
    const own = await server.createApp()
    model.embedder.behaviour = { kind: "status", status: 500 }
    const session = await longSession(own, server)
    assert.deepStrictEqual(await sizesOf(session), [])
    assert.strictEqual((await spentOn(own)).spent, 0)
    const other = await without.createApp()
    const byWords = await found(other, await longSession(other, without), "lantern3 harbour7")
    assert.includeMembers(
      byWords.map(({ text }) => text),
      [small(3), small(7)]
    )
    assert.deepStrictEqual(await found(own, session, "lantern3 harbour7"), byWords)

    model.embedder.behaviour = { kind: "incomplete" }
    await own.converse(session, "pebble")
    await jobsAreDone(server)
    assert.deepStrictEqual(await sizesOf(session), [])

    model.embedder.behaviour = { kind: "good" }
    await own.converse(session, "pebble again")
    await jobsAreDone(server)
    await saidWith(own, session, QUESTION, TOLD)
    for (const kind of ["stall", "incomplete"] as const) {
      model.embedder.behaviour = { kind }
      assert.notInclude(await said(own, session, QUESTION), TOLD, kind)
      assert.includeMembers([...(await said(own, session, "lantern3 harbour7"))], [small(3), small(7)])
      assert.strictEqual((await own.converse(session, QUESTION)).type, "message.created")
    }
  })

  it("what is forgotten is not found, and not sent to the model", async () => {
    const secret = "My cousin Ottilie collects thimbles."
    const question = "Who hoards trinkets?"
    const forget = async (session: string) => {
      const { memories } = (await app.get(`/v1/sessions/${session}/memories`)).body.data
      const { id } = memories.find(({ text }: Found) => text.includes("thimbles"))
      assert.strictEqual((await app.delete(`/v1/sessions/${session}/memories/${id}`)).status, 200)
    }
    const session = await longSession(app, server, secret)
    await saidWith(app, session, question, secret)
    await forget(session)
    assert.notInclude((await said(app, session, question)).join(), "thimbles")

    model.embedder.behaviour = { kind: "status", status: 503 }
    const later = await longSession(app, server, secret)
    await forget(later)
    model.embedder.behaviour = { kind: "good" }
    const before = model.embedder.requests.length
    await app.converse(later, "pebble")
    await jobsAreDone(server)
    const sent = model.embedder.requests.slice(before).flatMap(({ input }) => input)
    assert.include(sent, small(0))
    assert.notInclude(sent.join(), "thimbles")
  })

  it("costs are booked once, with what the model reports", async () => {
    const own = await server.createApp({ budgetUsd: 1_000 })
    const session = await longSession(own, server)
    const words = historyOf(TOLD)
      .slice(0, 32)
      .reduce((sum, { text }) => sum + text.split(" ").length, 0)
    assert.deepStrictEqual(await spentOn(own), { spent: words * PRICE, entries: 2 })
    await said(own, session, QUESTION)
    assert.deepStrictEqual(await spentOn(own), { spent: (words + 6) * PRICE, entries: 4 })
    const [row] = await server.database.sql<Array<{ used: number }>>`
      select month_used_micro_usd::int as used from allowances where app_id = ${own.appId} and kind = 'app'`
    assert.strictEqual(row?.used, (words + 6) * PRICE)

    await own.converse(session, QUESTION)
    await jobsAreDone(server)
    const [books] = await server.database.sql<Array<{ used: number; booked: number }>>`
      select month_used_micro_usd::int as used,
        (select sum(amount_micro_usd)::int from ledger where app_id = ${own.appId}) as booked
      from allowances where app_id = ${own.appId} and kind = 'app'`
    assert.deepStrictEqual({ ...books }, { used: (words + 12) * PRICE, booked: (words + 12) * PRICE })
  })

  it("a search whose caller leaves is booked at an estimate, and reserves nothing any more", async () => {
    const own = await server.createApp({ budgetUsd: 1_000 })
    const session = await longSession(own, server)
    const before = await spentOn(own)
    model.embedder.behaviour = { kind: "stall" }
    const asked = model.embedder.requests.length
    const leaving = new AbortController()
    const left = fetch(`${server.baseUrl}/v1/sessions/${session}/recall`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.key}`, "content-type": "application/json" },
      body: JSON.stringify({ text: QUESTION }),
      signal: leaving.signal
    }).catch(() => null)
    await until("the request", () => model.embedder.requests.length > asked)
    leaving.abort()
    await left
    const open = () => server.database.sql`select 1 from open_expenses where app_id = ${own.appId}`
    await until("it to be settled", async () => (await open()).length === 0)
    const estimate = Math.ceil(QUESTION.length / 4) * PRICE
    assert.strictEqual((await spentOn(own)).spent, before.spent + estimate)
  })

  it("nothing is embedded that the budget does not cover", async () => {
    const own = await server.createApp({ budgetUsd: 0.01 })
    const before = model.embedder.requests.length
    const session = await longSession(own, server)
    assert.includeMembers([...(await said(own, session, "lantern3"))], [small(3)])
    assert.strictEqual(model.embedder.requests.length, before)
    assert.strictEqual((await spentOn(own)).spent, 0)
  })

  it("vectors of another model are replaced step by step", async () => {
    const session = await longSession(app, server)
    await server.database.sql`update utterance_vectors set model = 'older' where session_id = ${session}`
    assert.notInclude(await said(app, session, QUESTION), TOLD)
    await app.converse(session, "pebble")
    await jobsAreDone(server)
    await saidWith(app, session, QUESTION, TOLD)
    const models = await server.database.sql<Array<{ model: string }>>`
      select distinct model from utterance_vectors where session_id = ${session}`
    assert.deepStrictEqual(
      models.map(({ model }) => model),
      [EMBEDDER]
    )
  })

  it("erasing the person leaves no vector", async () => {
    const person = randomUUID()
    const session = await longSession(app, server, TOLD, { external_user_ref: person })
    assert.isNotEmpty(await sizesOf(session))
    const { erasure_id } = (await app.delete(`/v1/end-users/${person}`)).body.data
    await until(
      "the erasure to be completed",
      async () => (await app.get(`/v1/erasures/${erasure_id}`)).body.data.status === "completed"
    )
    assert.deepStrictEqual(await sizesOf(session), [])
  })
})
