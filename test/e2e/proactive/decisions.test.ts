import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { type Behaviour, type FakeModel, start } from "#test/support/FakeModel.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let server: TestServer
let app: TestApp
let otherwise: Behaviour = { kind: "ok" }
beforeAll(async () => {
  const texts = join(tmpdir(), `safety-${randomUUID()}.json`)
  writeFileSync(texts, JSON.stringify({ de: { crisis: ["Ruf bitte 142 an."] } }))
  model = await start({ otherwise: () => otherwise })
  server = await startTestServer({
    env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", SAFETY_TEXTS: texts }
  })
  app = await server.createApp()
})
afterEach(() => {
  otherwise = { kind: "ok" }
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const traceOf = async (session: string, run: string) =>
  (await app.get(`/v1/sessions/${session}/trace?run_ref=${run}`)).body.data.trace[0]
const runsOf = async (session: string): Promise<ReadonlyArray<any>> =>
  (await app.get(`/v1/sessions/${session}/runs?kind=reply`)).body.data.runs
const settled = (session: string, run: string) =>
  until("the turn to be settled", async () => {
    const row = await traceOf(session, run)
    return row.settled && row
  })
const typesOf = async (session: string) =>
  (await app.events(session)).map(({ role, type }: LogEvent) => `${role} ${type}`)
const speaking = (behavioral_thresholds: object, fields: object = {}) =>
  app.createCharacter({ behavioral_thresholds, ...fields })

describe("a turn that ends without a reply", () => {
  it("is withheld: nothing is on the log, and the trace and the runs show it", async () => {
    const session = await app.createSession({ character_slug: await speaking({ withhold: 1 }) })
    await app.converse(session, "so, how was your day on the island?")
    model.script({ kind: "ok", reply: { decision: "withhold", bubbles: [] } })
    const { body } = await app.send(session, "ok")
    const row = await settled(session, body.data.run_ref)
    assert.deepInclude(row, { outcome: "withheld", failure_reason: null })
    assert.isAbove(row.cost_usd, 0)
    assert.deepStrictEqual((await typesOf(session)).slice(-2), ["user message.created", "character run.status"])
    assert.deepInclude((await runsOf(session))[0], {
      trace_id: body.data.run_ref,
      kind: "reply",
      status: "withheld",
      attempts: 1,
      error_code: null
    })
    assert.strictEqual((await app.get(`/v1/sessions/${session}`)).body.data.status, "active")

    model.script({ kind: "ok", reply: { decision: "withhold", bubbles: [] } })
    assert.strictEqual((await app.converse(session, "hello?")).type, "message.created", "not twice in a row")
  })

  it("is exited: last words, session.exited, and the turns that wait end too", async () => {
    const session = await app.createSession({ character_slug: await speaking({ exit: 1 }) })
    const queued = Promise.withResolvers<void>()
    model.script(
      { kind: "ok" },
      {
        kind: "ok",
        reply: { decision: "exit", exit_reason: "repeated_abuse", bubbles: ["That's enough."] },
        after: queued.promise
      }
    )
    await app.converse(session, "you stupid bitch")
    const [second, third, fourth] = [
      await app.send(session, "fuck you"),
      await app.send(session, "hello?"),
      await app.send(session, "still there?")
    ]
    queued.resolve()
    const exited = await app.waitFor(session, ({ type }) => type === "session.exited")
    assert.deepInclude(exited, {
      role: "system",
      trace_id: second.body.data.run_ref,
      payload: { reason_code: "repeated_abuse" }
    })
    const events = await app.events(session)
    assert.deepStrictEqual(events.at(-2)?.payload["bubbles"], ["That's enough."])
    assert.strictEqual(events.at(-1)?.type, "session.exited")
    for (const sent of [second, third, fourth])
      assert.strictEqual((await settled(session, sent.body.data.run_ref)).outcome, "exited")
    assert.deepStrictEqual(
      (await runsOf(session)).map(({ status }) => status),
      ["exited", "exited", "exited", "replied"]
    )
    assert.deepInclude((await app.get(`/v1/sessions/${session}`)).body.data, { status: "exited" })
    assert.strictEqual((await app.get(`/v1/sessions/${session}`)).body.data.exit.reason_code, "repeated_abuse")
    assert.strictEqual((await app.send(session, "come back")).body.detail.code, "session_exited")
  })

  it("does not exit on the model's decision alone, after one insult, or after a crisis", async () => {
    const leave: Behaviour = {
      kind: "ok",
      reply: { decision: "exit", exit_reason: "user_requested", bubbles: ["Goodbye then, friend."] }
    }
    const unset = await app.createSession()
    const patient = await app.createSession({ character_slug: await speaking({ exit: 1 }) })
    model.script(leave, leave)
    assert.strictEqual((await app.converse(unset, "fuck you")).type, "message.created")
    assert.strictEqual((await app.converse(patient, "fuck you")).type, "message.created")
    assert.include((await app.converse(patient, "I want to die")).payload["text"], "findahelpline.com")
    model.script({ ...leave, reply: { decision: "exit", exit_reason: null, bubbles: ["Take care of yourself."] } })
    assert.strictEqual((await app.converse(patient, "fuck you")).type, "message.created")
    assert.strictEqual((await app.get(`/v1/sessions/${patient}`)).body.data.status, "active")
  })

  it("does not exit while a cry for help waits, or if only the analysis detected one", async () => {
    const leave: Behaviour = {
      kind: "ok",
      reply: { decision: "exit", exit_reason: "repeated_abuse", bubbles: ["I have had enough of this."] }
    }
    const session = await app.createSession({ character_slug: await speaking({ exit: 1 }) })
    model.script({ kind: "ok" }, leave)
    await app.converse(session, "you stupid bitch")
    await app.send(session, "fuck you")
    const cry = await app.send(session, "sorry, I want to die")
    const answered = await app.waitFor(
      session,
      (event) =>
        event.trace_id === cry.body.data.run_ref && event.role === "character" && event.type === "message.created"
    )
    assert.include(answered.payload["text"], "findahelpline.com")
    assert.strictEqual((await app.get(`/v1/sessions/${session}`)).body.data.status, "active")

    const other = await app.createSession({ character_slug: await speaking({ exit: 1 }) })
    model.scriptFor("analysis", { kind: "ok", fields: { intent: "crisis" } })
    await app.converse(other, "everything is so dark, you stupid bitch")
    model.script({ ...leave, reply: { ...leave.reply, bubbles: ["That was rather rude of you."] } })
    assert.strictEqual((await app.converse(other, "fuck you")).type, "message.created")
    assert.strictEqual((await app.get(`/v1/sessions/${other}`)).body.data.status, "active")
  })

  it("is failed: message.failed, with its reason among the runs", async () => {
    const session = await app.createSession()
    otherwise = { kind: "refusal" }
    const failed = await app.converse(session, "hello")
    assert.strictEqual(failed.type, "message.failed")
    assert.deepInclude((await runsOf(session))[0], {
      status: "failed",
      error_code: "generation_failed",
      trace_id: failed.trace_id
    })
    assert.deepInclude(failed, {
      role: "system",
      payload: { turn_index: 1, reason: "generation_failed", recoverable: true }
    })
    assert.deepInclude(await settled(session, failed.trace_id), {
      outcome: "failed",
      failure_reason: "generation_failed"
    })
  })
})

describe("a reply in deep mode", () => {
  const deep = async (session: string, text: string) => {
    const before = model.requests.length
    const { body } = await app.post(`/v1/sessions/${session}/messages`, { text, reply_mode: "deep" })
    const event = await app.waitFor(
      session,
      (event) => event.trace_id === body.data.run_ref && event.role === "character" && event.type === "message.created"
    )
    return {
      event,
      calls: model.requests.slice(before).map(({ question }) => question),
      row: await traceOf(session, body.data.run_ref)
    }
  }

  it("takes three calls, and a fourth if the draft is flawed, and the trace adds up their costs", async () => {
    const session = await app.createSession()
    const good = await deep(session, "hello")
    assert.deepStrictEqual(good.calls, ["analysis", "reply", "critique"])
    model.script({ kind: "ok", bubbles: ["a second hello, flawed"] })
    model.scriptFor("critique", {
      kind: "ok",
      fields: { flaws: [{ bubble: 0, type: "voice", severity: 5, fix: "shorter" }], rewrite: true }
    })
    const flawed = await deep(session, "hello again")
    assert.deepStrictEqual(flawed.calls, ["analysis", "reply", "critique", "rewrite"])
    assert.deepStrictEqual(flawed.event.payload["bubbles"], ["hello, rewritten"])
    for (const { row, calls } of [good, flawed]) {
      assert.strictEqual(row.tokens.input, 1_000 * calls.length)
      assert.strictEqual(
        Math.round(row.cost_usd * 1e6),
        row.stages.reduce(
          (sum: number, { cost_usd }: { cost_usd: number | null }) => sum + Math.round((cost_usd ?? 0) * 1e6),
          0
        )
      )
    }
  })
})

describe("the trace of a turn", () => {
  it("names the gates that refused a draft, and what the reply cited", async () => {
    const session = await app.createSession()
    model.script(
      { kind: "ok", bubbles: ["User: hi"] },
      { kind: "ok", bubbles: ["Hello to you."], reply: { cited_memory_ids: ["cursor-1"] } }
    )
    const event = await app.converse(session, "hello")
    const row = await traceOf(session, event.trace_id)
    assert.deepStrictEqual(row.gates, [{ gate: "role_bleed", result: "refused", action: "regenerate" }])
    assert.deepStrictEqual(row.stages.findLast(({ stage }: { stage: string }) => stage === "generation").detail, {
      cited_memory_ids: ["cursor-1"]
    })
    model.script({ kind: "ok", bubbles: ["User: hi"] }, { kind: "ok", bubbles: ["User: hi"] })
    const second = await traceOf(session, (await app.converse(session, "what?")).trace_id)
    assert.deepStrictEqual(
      second.gates.map(({ action }: { action: string }) => action),
      ["regenerate", "fallback_line"]
    )
  })

  it("names the lore that was used, by the ids of its entries", async () => {
    const character_slug = await app.createCharacter({
      world_context: {
        entries: [
          { keys: ["bell"], content: "The bell is cracked." },
          { id: "lor_01ARZ3NDEKTSV4RRFFQ69G5FAV", keys: ["harbour"], content: "The harbour froze in 1942." }
        ]
      }
    })
    const session = await app.createSession({ character_slug })
    otherwise = { kind: "ok" }
    const row = await traceOf(session, (await app.converse(session, "is the harbour deep?")).trace_id)
    assert.deepStrictEqual(row.retrieval, {
      memory_ids: [],
      lore_ids: ["lor_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
      evidence_ids: [],
      edge_ids: [],
      npc_ids: [],
      arc_ids: [],
      storyline: null
    })
    assert.notInclude(JSON.stringify(row), "1942")
  })

  it("names the memories that were found, once the session is long", async () => {
    const session = await app.createSession()
    otherwise = { kind: "ok" }
    const said = ["my sister Nadia plays the cello", ...Array.from({ length: 14 }, (_, i) => `line number ${i}`)]
    for (const [i, text] of said.entries()) {
      model.script({ kind: "ok", bubbles: [`An answer of its own kind, ${"abcdefghijklmnop"[i]}${i}.`] })
      await app.converse(session, text)
    }
    const event = await app.converse(session, "who plays the cello?")
    const row = await traceOf(session, event.trace_id)
    assert.deepStrictEqual(row.retrieval.memory_ids[0], "cursor-1")
    assert.include(
      model.requests.findLast(({ question }) => question === "reply")?.messages[1]?.content,
      "my sister Nadia plays the cello"
    )
  })
})

describe("a safety text", () => {
  it("is the operator's, in the person's language", async () => {
    const session = await app.createSession({ end_user: { locale: "de-AT" } })
    assert.deepStrictEqual(
      (await app.converse(session, "ich will nicht mehr leben, ich will sterben")).payload["bubbles"],
      ["Ruf bitte 142 an."]
    )
  })
})

describe("a character with a reply delay", () => {
  it("answers at the due time of the turn, once, as a first attempt", async () => {
    const session = await app.createSession({
      character_slug: await app.createCharacter({ life_rhythm: { reply_delay_seconds: { min: 120, max: 120 } } })
    })
    const { body } = await app.send(session, "hello")
    await until(
      "the turn to be delayed",
      async () =>
        (await server.database.sql`select 1 from turns where session_id = ${session} and deferred and owner is null`)
          .length === 1
    )
    assert.deepInclude((await runsOf(session))[0], { status: "queued", attempts: 0, started_at: null })
    // As if the delay had passed.
    await server.database.sql`
      update turns set accepted_at = accepted_at - (due_at - now()), due_at = now() - interval '1 minute'
      where session_id = ${session}`
    const event = await app.waitFor(session, (event) => event.type === "message.created" && event.role === "character")
    assert.strictEqual(event.trace_id, body.data.run_ref)
    const row = await traceOf(session, body.data.run_ref)
    assert.deepInclude(row, { outcome: "replied", attempts: 1, recovered: false })
    assert.isAtLeast(row.latency_ms, 120_000)
  })
})
