import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
let character_slug: string
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  character_slug = await app.createCharacter()
})
afterAll(() => server.close())

const openSession = () => app.createSession({ character_slug })
const turnsOf = async (session: string) =>
  server.database.sql`select * from turns where session_id = ${session} order by turn_index`
const keyed = (key: string) => ({ "idempotency-key": key })

describe("a send", () => {
  it("returns accepted, cursor, sent_turn_index, run_ref and reply_mode, and nothing else", async () => {
    const session = await openSession()
    const { status, body } = await app.send(session, "What is for dinner?")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(
      { ...body.data, run_ref: "" },
      { accepted: true, cursor: 1, sent_turn_index: 1, run_ref: "", reply_mode: "fast" }
    )
    assert.match(body.data.run_ref, /^run_/)
  })

  it("never returns the reply", async () => {
    const session = await openSession()
    const { body } = await app.send(session, "What is for dinner?")
    const reply = await app.waitFor(session, (event) => event.role === "character" && event.type === "message.created")
    assert.notInclude(JSON.stringify(body), reply.payload["text"])
  })

  it("is on the log, with its run.status, before the response", async () => {
    const session = await openSession()
    for (let n = 1; n <= 5; n++) {
      const { body } = await app.send(session, `Message ${n}`)
      const rows = await server.database.sql`
        select cursor::int, type, role from events where session_id = ${session} and trace_id = ${body.data.run_ref}
          and cursor <= ${body.data.cursor + 1} order by cursor`
      assert.deepStrictEqual(
        [...rows],
        [
          { cursor: body.data.cursor, type: "message.created", role: "user" },
          { cursor: body.data.cursor + 1, type: "run.status", role: "character" }
        ]
      )
    }
  })

  it("leads to a reply on the log", async () => {
    const session = await openSession()
    const reply = await app.converse(session, "What is for dinner?")
    assert.deepInclude(reply, { type: "message.created", role: "character" })
    assert.deepStrictEqual(
      (await turnsOf(session)).map((turn) => turn["outcome"]),
      ["replied"]
    )
  })

  it("numbers the turns of a session from 1", async () => {
    const session = await openSession()
    const indexes: Array<number> = []
    for (let n = 0; n < 3; n++) indexes.push((await app.send(session, "Hello")).body.data.sent_turn_index)
    assert.deepStrictEqual(indexes, [1, 2, 3])
  })

  it("has its turn answered after the earlier turns of the session, in order", async () => {
    const session = await openSession()
    const sent = await Promise.all(Array.from({ length: 10 }, (_, n) => app.send(session, `Message ${n}`)))
    const last = Math.max(...sent.map((answer) => answer.body.data.sent_turn_index))
    await app.waitFor(session, (event) => event.role === "character" && event.payload["turn_index"] === last)
    const replies = (await app.events(session)).filter(
      (event) => event.role === "character" && event.type === "message.created"
    )
    assert.deepStrictEqual(
      replies.map((reply) => reply.payload["turn_index"]),
      Array.from({ length: 10 }, (_, n) => n + 1)
    )
  })

  it("of a person who sends too many is answered once each, in order, and others are answered meanwhile", async () => {
    const flooded = [
      await app.createSession({ character_slug, external_user_ref: "flooder" }),
      await app.createSession({ character_slug, external_user_ref: "flooder" })
    ]
    const quiet = await openSession()
    const flood = flooded.flatMap((session) => Array.from({ length: 60 }, (_, n) => app.send(session, `Message ${n}`)))
    const sent = await Promise.all([...flood, app.send(quiet, "What is for dinner?")])
    assert.deepStrictEqual(new Set(sent.map(({ status }) => status)), new Set([200]))
    const isReplyTo =
      (turn: number) =>
      ({ role, type, payload }: LogEvent) =>
        role === "character" && type === "message.created" && payload["turn_index"] === turn
    const answered = await app.waitFor(quiet, isReplyTo(1))
    for (const session of flooded) {
      const last = await app.waitFor(session, isReplyTo(60))
      assert.isBelow(Date.parse(String(answered["created_at"])), Date.parse(String(last["created_at"])))
      const ends = (await app.events(session)).filter(({ role, type }) => role !== "user" && type !== "run.status")
      assert.deepStrictEqual(
        ends.map(({ type, payload }) => [type, payload["turn_index"]]),
        Array.from({ length: 60 }, (_, n) => ["message.created", n + 1])
      )
    }
  })

  it.each([
    ["fast", "fast"],
    ["deep", "deep"],
    [undefined, "fast"]
  ])("with reply_mode %s runs as %s", async (given, effective) => {
    const session = await openSession()
    const { body } = await app.post(`/v1/sessions/${session}/messages`, { text: "Hello", reply_mode: given })
    assert.strictEqual(body.data.reply_mode, effective)
    assert.strictEqual((await turnsOf(session))[0]?.["reply_mode"], effective)
  })

  it("shows on the trace of a deep turn that the offline engine has no critic", async () => {
    const session = await openSession()
    const criticOf = async (replyMode: string) => {
      const { cursor, run_ref } = (
        await app.post(`/v1/sessions/${session}/messages`, { text: "Hello", reply_mode: replyMode })
      ).body.data
      await app.waitFor(session, (event) => event.role === "character" && event.type === "message.created", cursor)
      const { stages } = (await app.get(`/v1/sessions/${session}/trace?run_ref=${run_ref}`)).body.data.trace[0]
      return stages
        .filter(({ stage }: { stage: string }) => stage === "critic")
        .map(({ status, decision }: { status: string; decision: string }) => [status, decision])
    }
    assert.deepStrictEqual([await criticOf("deep"), await criticOf("fast")], [[["skipped", "no_critic"]], []])
  })

  it.each<[string, object, string]>([
    ["without text", {}, "body.text: Required"],
    ["with an empty text", { text: "" }, "body.text: Too small"],
    ["with a blank text", { text: " \n" }, "body.text: Must not be blank"],
    ["with a text of another type", { text: 7 }, "body.text: Invalid input: expected string"],
    ["with an unknown reply_mode", { text: "x", reply_mode: "slow" }, "body.reply_mode"],
    ["with a reply_mode of null", { text: "x", reply_mode: null }, "body.reply_mode"]
  ])("%s is 422 and writes nothing", async (_, body, quoted) => {
    const session = await openSession()
    const answer = await app.post(`/v1/sessions/${session}/messages`, body)
    assert.strictEqual(answer.status, 422)
    assert.strictEqual(answer.body.detail.code, "validation_error")
    assert.include(answer.body.detail.message, quoted)
    assert.deepStrictEqual(await app.events(session), [])
  })
})

describe("a send with an Idempotency-Key", () => {
  it("returns it as client_message_id in the message.created and the run.status", async () => {
    const session = await openSession()
    const key = randomUUID()
    const { body } = await app.send(session, "Hello", keyed(key))
    const [said, status] = await app.events(session, body.data.cursor - 1)
    assert.strictEqual(said?.payload["client_message_id"], key)
    assert.strictEqual(status?.payload["client_message_id"], key)
  })

  it("without a key has no client_message_id in either", async () => {
    const session = await openSession()
    await app.send(session, "Hello")
    for (const event of await app.events(session)) assert.notProperty(event.payload, "client_message_id")
  })

  it("returns the original the second time, with idempotent_replay, and creates no second turn", async () => {
    const session = await openSession()
    const key = randomUUID()
    const first = await app.send(session, "What is for dinner?", keyed(key))
    await app.waitFor(session, (event) => event.role === "character" && event.type === "message.created")
    const events = await app.events(session)
    const second = await app.send(session, "What is for dinner?", keyed(key))
    assert.notProperty(first.body.data, "idempotent_replay")
    assert.deepStrictEqual(second.body.data, { ...first.body.data, idempotent_replay: true })
    assert.deepStrictEqual(await app.events(session), events)
    assert.lengthOf(await turnsOf(session), 1)
  })

  it("returns the original whatever the body of the second request", async () => {
    const session = await openSession()
    const key = randomUUID()
    const first = await app.send(session, "One thing", keyed(key))
    const second = await app.post(
      `/v1/sessions/${session}/messages`,
      { text: "Quite another", reply_mode: "deep" },
      keyed(key)
    )
    assert.strictEqual(second.status, 200)
    assert.deepStrictEqual(second.body.data, { ...first.body.data, idempotent_replay: true })
    assert.notInclude(JSON.stringify(await app.events(session)), "Quite another")
  })

  it("is a different message in another session", async () => {
    const key = randomUUID()
    const answers = [
      await app.send(await openSession(), "Hello", keyed(key)),
      await app.send(await openSession(), "Hello", keyed(key))
    ]
    for (const { body } of answers) assert.notProperty(body.data, "idempotent_replay")
    assert.notStrictEqual(answers[0]?.body.data.run_ref, answers[1]?.body.data.run_ref)
  })

  it("creates one turn for 50 concurrent sends", async () => {
    const session = await openSession()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.send(session, "Hello", keyed(key))))
    assert.deepStrictEqual(
      answers.map((answer) => answer.status),
      answers.map(() => 200)
    )
    assert.strictEqual(
      new Set(answers.map(({ body }) => `${body.data.cursor} ${body.data.sent_turn_index} ${body.data.run_ref}`)).size,
      1
    )
    assert.strictEqual(answers.filter(({ body }) => body.data.idempotent_replay !== true).length, 1)
    assert.lengthOf(await turnsOf(session), 1)
    await app.waitFor(session, (event) => event.role === "character" && event.type === "message.created")
    assert.deepStrictEqual(
      (await app.events(session)).map((event) => event.type),
      ["message.created", "run.status", "message.created"]
    )
  })

  it.each([
    ["", 422],
    ["k".repeat(255), 200],
    ["k".repeat(256), 422]
  ])("accepts a key of 1 to 255 characters: %j", async (key, expected) => {
    assert.strictEqual((await app.send(await openSession(), "Hello", keyed(key))).status, expected)
  })
})
