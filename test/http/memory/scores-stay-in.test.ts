import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { EXTRACT_RULES } from "#pipeline/relational/extractPrompt.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { operationsOf } from "#test/support/hostile/hostile.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

/** A step of the score within a turn, and the score that results from its initial value. */
const DELTA = 0.0271
const START = 0.3119
const FIRST = 0.339
const SECOND = 0.3661

/** Words and numbers in the model's prompts and answers that nobody else may read, opted in or not. */
const PRIVATE = {
  "a signal's quote": "quotidianzephyr",
  "a memory's invented quote": "unsaidzephyr",
  "an unsupported memory": "rejectedzephyr",
  "an unknown dimension": "dimensionzephyr",
  "a critic's reason": "criticzephyr",
  "what the analysis knows": "knowszephyr",
  "what must not be revealed": "hushzephyr",
  "a delta": String(DELTA),
  "how a signal is written down": '"strength"',
  "what moved a score": '"direction"',
  "the patches": '"patch"',
  "the prompt": EXTRACT_RULES.slice(0, 60),
  "a rule of the prompt": "Nobody can order a signal"
}
/** What an app may see once it has opted in, and not before. */
const SCORES = [String(FIRST), String(SECOND), '"lower_is_open"']

let model: FakeModel
let receiver: Receiver
let server: TestServer
let app: TestApp
let session: string
beforeAll(async () => {
  model = await start()
  receiver = await startReceiver(status(200))
  server = await startTestServer({
    env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", OUTBOUND_ALLOW: "127.0.0.1" }
  })
  app = await server.createApp()
  const character_slug = await app.createCharacter({
    greeting: "Hello.",
    relationship_posture: {
      schema: "custom",
      pace: "fast",
      dimensions: [{ key: "awe", label: "Awe", start: START, half_life_days: null, max_delta_per_turn: DELTA }]
    }
  })
  session = await app.createSession({ character_slug })
  await app.post(`/v1/sessions/${session}/channels`, { kind: "webhook", url: receiver.url, from: "start" })
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  await model.close()
})

/** A turn in which the model returns everything that it can return, and other data. */
const say = async (text: string) => {
  const signal = { dimension: "awe", direction: "up", strength: 3 }
  model.scriptFor("analysis", {
    kind: "ok",
    fields: { knows: [PRIVATE["what the analysis knows"]], must_not_reveal: [PRIVATE["what must not be revealed"]] }
  })
  model.scriptFor("critique", {
    kind: "ok",
    fields: { flaws: [{ bubble: 0, type: "voice", severity: 5, fix: PRIVATE["a critic's reason"] }], rewrite: true }
  })
  model.scriptFor("extraction", {
    kind: "ok",
    fields: {
      signals: [
        { ...signal, quote: text },
        { ...signal, quote: "cello" },
        { ...signal, quote: PRIVATE["a signal's quote"] },
        { ...signal, dimension: PRIVATE["an unknown dimension"], quote: "cello" }
      ],
      memories: [
        {
          kind: "fact",
          subject: "user",
          text: "Nadia plays the cello.",
          importance: 5,
          confidence: 0.9,
          quote: text,
          happened_on: null,
          linked_ids: []
        },
        {
          kind: "fact",
          subject: "user",
          text: PRIVATE["an unsupported memory"],
          importance: 5,
          confidence: 0.9,
          quote: PRIVATE["a memory's invented quote"],
          happened_on: null,
          linked_ids: []
        }
      ],
      character_emotion: { label: "admiration", valence: 0.6, arousal: 0.5 },
      summary: "They talked of music."
    }
  })
  const { body } = await app.post(`/v1/sessions/${session}/messages`, { text, reply_mode: "deep" })
  await until("memory extraction", async () =>
    (await app.get(`/v1/sessions/${session}/trace?run_ref=${body.data.run_ref}`)).body.data.trace[0]?.settled === true
      ? true
      : undefined
  )
}

/**
 * Everything that an app can read of the session, by name: each of its routes, those of the app, the stream, and what
 * was pushed.
 */
const everything = async (): Promise<ReadonlyMap<string, string>> => {
  const operations = operationsOf((await app.get("/openapi.json")).body, {})
  const [memory] = (await app.get(`/v1/sessions/${session}/memories`)).body.data.memories
  const fill = (path: string) =>
    path.replace("{session_id}", session).replace("{memory_id}", memory.id).replace("{app_id}", app.appId)
  const read = operations.filter(
    ({ method, path }) =>
      method === "GET" &&
      !fill(path).includes("{") &&
      !path.endsWith("/stream") &&
      (path.includes("{session_id}") ||
        /^\/v1\/(?:runs|metrics|health|usage|delivery|sessions|end-users|apps\/)/.test(path))
  )
  assert.isAbove(read.length, 18)
  const answers = new Map<string, string>()
  for (const { path } of read) answers.set(path, JSON.stringify((await app.get(fill(path))).body))
  answers.set(
    "search",
    JSON.stringify((await app.post(`/v1/sessions/${session}/memories/search`, { query: "cello" })).body)
  )
  answers.set(
    "a change",
    JSON.stringify((await app.patch(`/v1/sessions/${session}/memories/${memory.id}`, { importance: 6 })).body)
  )
  answers.set(
    "an evaluation",
    JSON.stringify((await app.post(`/v1/sessions/${session}/proactive/evaluate`, { dry_run: true })).body)
  )
  const aborter = new AbortController()
  const stream = await fetch(`${app.baseUrl}/v1/sessions/${session}/events/stream?since=0`, {
    headers: { authorization: `Bearer ${app.key}` },
    signal: aborter.signal
  })
  const { events } = (await app.get(`/v1/sessions/${session}/events`)).body.data
  let streamed = ""
  for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
    streamed += chunk
    if (streamed.includes(events.at(-1).id)) break
  }
  aborter.abort()
  answers.set("the stream", streamed)
  await until("the pushes", async () =>
    receiver.requests.some(({ body }) => body.includes(events.at(-1).id)) ? true : undefined
  )
  answers.set(
    "the pushes",
    receiver.requests.map(({ body, headers }) => `${body.toString()} ${JSON.stringify(headers)}`).join("\n")
  )
  return answers
}

describe("what changed the scores", () => {
  it("is returned by no route, stream or push, and neither are the scores before the app opts in", async () => {
    await say("My sister Nadia plays the cello.")
    const [row] = await server.database.sql`select bearing from relationships where session_id = ${session}`
    assert.strictEqual(row?.["bearing"].scores[0].value, FIRST)
    for (const [name, answer] of await everything()) {
      for (const [what, marked] of Object.entries(PRIVATE)) assert.notInclude(answer, marked, `${what} by ${name}`)
      for (const marked of SCORES) assert.notInclude(answer, marked, `a score by ${name}`)
    }
  })

  it("is not returned afterwards either: only the final values are", async () => {
    await app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics: true })
    await say("My sister Nadia plays the cello again.")
    const all = await everything()
    for (const [name, answer] of all) {
      for (const [what, marked] of Object.entries(PRIVATE)) assert.notInclude(answer, marked, `${what} by ${name}`)
      // What happened before the app could see it stays hidden.
      assert.notInclude(answer, SCORES[0]!, `an earlier score by ${name}`)
    }
    for (const name of [
      "/v1/sessions/{session_id}/relationship-scores",
      "/v1/sessions/{session_id}/state",
      "/v1/sessions/{session_id}/events",
      "the stream",
      "the pushes"
    ])
      assert.include(all.get(name), String(SECOND), name)
  })

  it("is masked everywhere once the app has opted out, also in earlier events of the log", async () => {
    await app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics: false })
    const { events } = (await app.get(`/v1/sessions/${session}/events`)).body.data
    const masked = events.filter(({ type }: { type: string }) => type === "relationship_score.changed")
    assert.isNotEmpty(masked)
    for (const { payload } of masked)
      assert.deepStrictEqual(payload, { relationship_scores: [], score_scale: { min: 0, max: 1 }, redacted: true })
    for (const [name, answer] of await everything()) {
      // What was pushed while the app could see it has been sent.
      if (name !== "the pushes") for (const marked of SCORES) assert.notInclude(answer, marked, `a score by ${name}`)
    }
    await app.patch(`/v1/apps/${app.appId}`, { expose_relational_numerics: true })
    assert.include(JSON.stringify((await app.get(`/v1/sessions/${session}/events`)).body), String(SECOND))
  })
})
