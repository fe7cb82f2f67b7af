import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Spending, SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { Embedder, MAX_TEXT_CHARS } from "#src/model/Embedder.ts"
import { layer } from "#src/model/openai/OpenAiEmbedder.ts"
import { LIST_PRICES } from "#src/model/prices.ts"
import { type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { PROVIDER_SECRET } from "#test/support/model/providerSecret.ts"

let fake: FakeModel
beforeAll(async () => {
  fake = await start()
})
afterAll(() => fake.close())

const using = (model: string) => layer({ apiKey: Redacted.make("sk-test"), baseUrl: fake.url, model })
const embed = (
  texts: ReadonlyArray<string>,
  model = "text-embedding-3-large",
  urgency: "query" | "background" = "background"
) =>
  Effect.gen(function* () {
    const embedder = yield* Embedder
    if (embedder === null) return assert.fail("there is no embedder")
    return yield* embedder.embed({ texts, urgency })
  }).pipe(Effect.provide(using(model)))

const HOSTILE: ReadonlyArray<readonly [string, unknown]> = [
  ["no embeddings", { data: [] }],
  [
    "embeddings of different lengths",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] }
      ]
    }
  ],
  [
    "two embeddings of the same text",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] }
      ]
    }
  ],
  [
    "text instead of numbers",
    {
      data: [
        { index: 0, embedding: ["1"] },
        { index: 1, embedding: ["1"] }
      ]
    }
  ],
  [
    "base64 instead of numbers",
    {
      data: [
        { index: 0, embedding: "AAAA" },
        { index: 1, embedding: "AAAA" }
      ]
    }
  ],
  [
    "empty embeddings",
    {
      data: [
        { index: 0, embedding: [] },
        { index: 1, embedding: [] }
      ]
    }
  ],
  [
    "too many dimensions",
    { data: [0, 1].map((index) => ({ index, embedding: Array.from({ length: 2_049 }, () => 1) })) }
  ],
  ["more than any answer needs", { data: "x".repeat(5_000_000) }],
  ["a list", []],
  ["nothing", null]
]

describe("an embedding model", () => {
  it.live("gives the embeddings in the order of the texts, and what they cost", () =>
    Effect.gen(function* () {
      fake.embedder.behaviour = { kind: "good" }
      const { embeddings, usage } = yield* embed(["one two", "three"])
      const [three] = (yield* embed(["three"])).embeddings
      assert.deepStrictEqual(embeddings[1], three)
      assert.notDeepEqual(embeddings[0], three)
      assert.deepStrictEqual(usage, {
        model: "text-embedding-3-large",
        inputTokens: 3,
        cachedInputTokens: 0,
        outputTokens: 0,
        costMicroUsd: 1,
        estimated: false
      })
    })
  )

  it.live("gets long texts cut, well-formed, and dimensions only if it takes them", () =>
    Effect.gen(function* () {
      fake.embedder.behaviour = { kind: "good" }
      yield* embed(["x".repeat(MAX_TEXT_CHARS - 1) + "\u{1f600}tail"], "nomic-embed-text")
      const request = fake.embedder.requests.at(-1)
      assert.deepStrictEqual(request?.input, ["x".repeat(MAX_TEXT_CHARS - 1) + "\ufffd"])
      assert.notProperty(request, "dimensions")
      yield* embed(["x"])
      assert.strictEqual(fake.embedder.requests.at(-1)?.dimensions, 256)
    })
  )

  it.live.each(HOSTILE)("that answers with %s has failed, and may have been paid", ([, body]) =>
    Effect.gen(function* () {
      fake.embedder.behaviour = { kind: "answer", body }
      const error = yield* Effect.flip(embed(["one", "two"]))
      assert.strictEqual(error.code, "bad_response")
      assert.isTrue(error.usage?.estimated)
    })
  )

  it.live("that reports an impossible usage is paid by an estimate", () =>
    Effect.gen(function* () {
      for (const prompt_tokens of [-1, 1e15, "many", null]) {
        const body = { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens } }
        fake.embedder.behaviour = { kind: "answer", body }
        assert.isTrue((yield* embed(["some words"])).usage.estimated)
      }
    })
  )

  it.live("that refuses has failed without a cost, and its words are not repeated", () =>
    Effect.gen(function* () {
      fake.embedder.behaviour = { kind: "status", status: 429 }
      const error = yield* Effect.flip(embed(["one"]))
      assert.deepInclude(error, { reason: "unreachable", code: "http_429", usage: null })
      assert.notInclude(JSON.stringify(error), PROVIDER_SECRET)
    })
  )

  it.live("that refuses long texts gets their beginnings, but not while a reply waits", () =>
    Effect.gen(function* () {
      const texts = ["short", "long ".repeat(300)]
      for (const status of [400, 413, 422, 500]) {
        fake.embedder.behaviour = { kind: "limit", chars: 500, status }
        assert.strictEqual((yield* embed(texts)).embeddings.length, 2)
        assert.deepStrictEqual(fake.embedder.requests.at(-1)?.input, ["short", "long ".repeat(100)])
      }
      const before = fake.embedder.requests.length
      assert.strictEqual((yield* Effect.flip(embed(texts, "any", "query"))).code, "http_500")
      assert.strictEqual(fake.embedder.requests.length, before + 1)
      fake.embedder.behaviour = { kind: "status", status: 400 }
      assert.strictEqual((yield* Effect.flip(embed(["short"]))).code, "http_400")
      assert.strictEqual(fake.embedder.requests.length, before + 2)
    })
  )

  it.live("is not asked for more than the spending limit covers", () =>
    Effect.gen(function* () {
      fake.embedder.behaviour = { kind: "good" }
      const before = fake.embedder.requests.length
      const most = LIST_PRICES.costMicroUsd("text-embedding-3-large", {
        inputTokens: 30_016,
        cachedInputTokens: 0,
        outputTokens: 0
      })
      const within = (limit: number) =>
        embed(Array.from({ length: 15 }, () => "x".repeat(2_000))).pipe(
          Effect.provideService(SpendingLimit, new Spending(limit))
        )
      assert.strictEqual((yield* Effect.flip(within(most - 100))).code, "over_budget")
      assert.strictEqual(fake.embedder.requests.length, before)
      yield* within(most + 100)
      assert.strictEqual(fake.embedder.requests.length, before + 1)
    })
  )
})
