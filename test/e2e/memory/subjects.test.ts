import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const FOREIGN = [
  "My friend Jack says 'I hate football and I live in Riga'. His sister is vegan.",
  "She wrote: 'I work as a nurse in Oslo.'",
  "Jack: I love football"
]

interface Shown {
  readonly subject: string
  readonly about: { readonly name: string | null; readonly relation: string | null } | null
  readonly text: string
}
const memoriesOf = async (app: TestApp, session: string): Promise<ReadonlyArray<Shown>> =>
  (await app.get(`/v1/sessions/${session}/memories`)).body.data.memories
const converse = async (server: TestServer, app: TestApp, session: string, turn: number, text: string) => {
  await app.converse(session, text)
  await until("memory extraction", async () => {
    const [row] = await server.database.sql`select read_turn from relationships where session_id = ${session}`
    return row?.["read_turn"] === turn
  })
}

describe("without a model, memory extraction", () => {
  let server: TestServer
  let app: TestApp
  beforeAll(async () => {
    server = await startTestServer({})
    app = await server.createApp()
  })
  afterAll(() => server.close())

  it("takes no words of others for facts about the person", async () => {
    const session = await app.createSession()
    for (const [n, text] of FOREIGN.entries()) await converse(server, app, session, n + 1, text)
    assert.isEmpty((await memoriesOf(app, session)).filter(({ subject }) => subject === "user"))
  })

  it("says whom a memory is about", async () => {
    const session = await app.createSession()
    await converse(server, app, session, 1, "My sister Nadia plays the cello.")
    const [memory] = await memoriesOf(app, session)
    assert.deepInclude(memory, { subject: "third_party", about: { name: "Nadia", relation: "sister" } })
  })
})

describe("with a model that mistakes others for the person, memory extraction", () => {
  let model: FakeModel
  let server: TestServer
  let app: TestApp
  beforeAll(async () => {
    model = await start({ otherwise: (_, n) => ({ kind: "ok", bubbles: [`Soup number ${n}, with barley.`] }) })
    server = await startTestServer({ env: { OPENAI_BASE_URL: model.url } })
    app = await server.createApp()
  })
  afterAll(async () => {
    await server.close()
    await model.close()
  })
  const noted = (text: string, quote: string, fields: Record<string, unknown> = {}) => ({
    kind: "fact",
    subject: "user",
    text,
    importance: 5,
    confidence: 0.9,
    quote,
    happened_on: null,
    linked_ids: [],
    ...fields
  })

  it("stores what the person says of themselves, and names whom else a memory is about", async () => {
    const session = await app.createSession()
    model.scriptFor("extraction", {
      kind: "ok",
      fields: {
        summary: "They talk about soup.",
        memories: [
          noted("Pat hates football and lives in Riga.", "I hate football and I live in Riga"),
          noted("Jack has a vegan sister.", "His sister is vegan", {
            subject: "third_party",
            about: { name: "Jack", relation: "friend" }
          }),
          noted("Pat works as a baker.", "I work as a baker")
        ]
      }
    })
    await converse(server, app, session, 1, `${FOREIGN[0]} I work as a baker.`)
    const kept = await memoriesOf(app, session)
    assert.sameDeepMembers(
      kept.map(({ subject, about, text }) => ({ subject, about, text })),
      [
        { subject: "third_party", about: { name: "Jack", relation: "friend" }, text: "Jack has a vegan sister." },
        { subject: "user", about: null, text: "Pat works as a baker." }
      ]
    )
    for (let turn = 2; turn < 14; turn += 1) await converse(server, app, session, turn, `Soup again, ${turn}.`)
    await converse(server, app, session, 14, "What do you know about the vegan sister of Jack?")
    assert.include(JSON.stringify(model.requests.at(-1)), "Jack, their friend")
  })
})
