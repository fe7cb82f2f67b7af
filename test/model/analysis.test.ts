import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Writer } from "#pipeline/generation/Writer.ts"
import { type Analyst, Analyst as AnalystPort } from "#pipeline/grounding/Analyst.ts"
import { layer, type OpenAiEngineOptions } from "#src/model/openai/OpenAiEngine.ts"
import { type Behaviour, start } from "#test/support/model/FakeModel.ts"
import { requestOf } from "#test/support/conversation/requests.ts"
import { turnOf } from "#test/support/conversation/turns.ts"

const missing: Analyst = { analyze: () => Effect.die(new Error("there is no analyst")) }

const harness = Effect.fnUntraced(function* (
  script: ReadonlyArray<Behaviour>,
  options: Partial<OpenAiEngineOptions> = {}
) {
  const fake = yield* Effect.acquireRelease(
    Effect.promise(() => start()),
    (fake) => Effect.promise(() => fake.close())
  )
  fake.scriptFor("analysis", ...script)
  const engine = layer({
    apiKey: Redacted.make("sk"),
    baseUrl: fake.url,
    model: "big",
    analyzeModel: "small",
    callTimeout: "20 seconds",
    backoff: "1 millis",
    ...options
  })
  const { analyst, writer } = yield* Effect.provide(Effect.all({ analyst: AnalystPort, writer: Writer }), engine)
  const analyze = (analyst ?? missing).analyze({
    turn: turnOf({ text: "hello there" }),
    history: [],
    recalled: [],
    remembered: [],
    onSpent: () => Effect.void
  })
  return { fake, analyze, write: writer.write(requestOf("hello")) }
})

describe("an analysis by a model", () => {
  it.live("is one call to the model configured for it", () =>
    Effect.gen(function* () {
      const { fake, analyze } = yield* harness([{ kind: "ok", fields: { intent: "question", knows: ["a thing"] } }])
      const { analysis, usage } = yield* analyze
      assert.deepInclude(analysis, { intent: "question", knows: ["a thing"] })
      assert.strictEqual(usage.model, "small")
      assert.deepStrictEqual(
        fake.requests.map(({ model, question, format }) => [model, question, format]),
        [["small", "analysis", "strict_schema"]]
      )
      assert.include(fake.requests[0]?.messages[1]?.content, "hello there")
    })
  )

  it.live("is repaired once, by the same rules as a reply", () =>
    Effect.gen(function* () {
      const { fake, analyze } = yield* harness([{ kind: "wrong_schema" }])
      assert.strictEqual((yield* analyze).analysis.intent, "smalltalk")
      assert.lengthOf(fake.requests, 2)
    })
  )

  it.live("is never plain text", () =>
    Effect.gen(function* () {
      const { analyze } = yield* harness([
        { kind: "plain_text", text: "It is a greeting." },
        { kind: "plain_text", text: "Just a greeting." }
      ])
      const error = yield* Effect.flip(analyze)
      assert.deepStrictEqual([error.reason, error.code], ["refused", "no_json"])
      assert.isAbove(error.usage?.costMicroUsd ?? 0, 0)
    })
  )

  it.live("shares what was learned about a server if the same model writes replies", () =>
    Effect.gen(function* () {
      const rejects: Behaviour = { kind: "rejects_format" }
      const { fake, analyze, write } = yield* harness([rejects, rejects, rejects, rejects], { analyzeModel: "big" })
      yield* analyze
      yield* write
      assert.deepStrictEqual(
        fake.requests.map(({ question, format }) => `${question} ${format}`),
        ["analysis strict_schema", "analysis json_schema", "analysis json_object", "analysis text", "reply text"]
      )
    })
  )

  it.live("keeps hostile text in its data blocks", () =>
    Effect.gen(function* () {
      const { fake, analyze } = yield* harness([], {})
      yield* analyze
      const content = fake.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
      assert.strictEqual(content.split("</data>").length, content.split('<data name="').length)
    })
  )
})
