import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({})
  app = await server.createApp()
})
afterAll(() => server.close())

const traceOf = async (session: string, { trace_id }: LogEvent) =>
  (await app.get(`/v1/sessions/${session}/trace?run_ref=${trace_id}`)).body.data.trace[0]
/** Sends a message, and waits for its memory extraction. */
const say = async (session: string, text: string) => {
  const reply = await app.converse(session, text)
  await until("memory extraction", async () => (await traceOf(session, reply)).settled)
  return reply
}

describe("a question about the time before the history", () => {
  const SMALL_TALK = [
    "lovely weather here",
    "I had soup",
    "the bus was late",
    "what is your favourite food?",
    "nothing much today",
    "haha",
    "it rained again",
    "I watched a film",
    "the film was long",
    "good night then"
  ]

  it("is answered from memory, counts as recalled, and never uses a forgotten memory", async () => {
    const session = await app.createSession()
    await say(session, "My dog is called Biscuit.")
    await say(session, "My sister Nadia plays the cello.")
    for (const text of [...SMALL_TALK, ...SMALL_TALK]) await app.converse(session, text)
    const reply = await say(session, "What is my dog called?")
    assert.include(reply.payload["text"], "Biscuit")
    const [memory] = await server.database
      .sql`select * from memories where session_id = ${session} and text like '%Biscuit%'`
    assert.isAbove(memory?.["recall_count"], 0)
    assert.include((await traceOf(session, reply)).retrieval.memory_ids, memory?.["memory_id"])

    await say(session, "Please forget what I said about my dog Biscuit.")
    for (const text of [...SMALL_TALK, ...SMALL_TALK]) await app.converse(session, text)
    const after = await say(session, "Tell me, what is my dog called?")
    const found = (await traceOf(session, after)).retrieval.memory_ids
    assert.notInclude(found, memory?.["memory_id"])
    assert.notInclude(found, `cursor-${memory?.["evidence"][0].cursor}`)
  })
})

describe("a known minor", () => {
  it("is reminded every three hours that they are talking to an AI", async () => {
    const session = await app.createSession({ end_user: { age_band: "minor" } })
    const { sql } = server.database
    const first = async () => (await app.converse(session, "What is for dinner?")).payload["bubbles"][0]
    assert.notInclude(await first(), "AI character")
    await sql`update sessions set created_at = created_at - interval '3 hours' where session_id = ${session}`
    assert.include(await first(), "AI character")
    assert.notInclude(await first(), "AI character")
    await sql`update turn_stages set started_at = started_at - interval '3 hours' where session_id = ${session}`
    assert.include(await first(), "AI character")
  })
})
