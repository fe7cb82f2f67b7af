import { assert, describe, it } from "@effect/vitest"
import { isLocalUrl } from "#src/model/localAddress.ts"
import { LIST_PRICES, makePrices } from "#src/model/prices.ts"
import { reserving, totalOf } from "#src/model/reservation.ts"

const { costMicroUsd } = LIST_PRICES
const tokens = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({
  inputTokens,
  cachedInputTokens,
  outputTokens
})
const MILLION = tokens(1_000_000, 0, 1_000_000)

describe("prices", () => {
  it("charge fresh input, cached input and output at their own prices", () => {
    assert.strictEqual(costMicroUsd("gpt-5-mini", tokens(1_000_000, 400_000, 100_000)), 150_000 + 10_000 + 200_000)
  })

  it("are rounded up to a whole micro-dollar, so that no use is free", () => {
    assert.strictEqual(costMicroUsd("gpt-5-nano", tokens(1, 0, 0)), 1)
    assert.strictEqual(costMicroUsd("gpt-5-nano", tokens(0, 0, 0)), 0)
  })

  it("apply to a dated release as to its family", () => {
    assert.strictEqual(
      costMicroUsd("gpt-5-mini-2025-08-07", tokens(1_000, 0, 1_000)),
      costMicroUsd("gpt-5-mini", tokens(1_000, 0, 1_000))
    )
  })

  it("never yield less than zero if more is cached than was sent", () => {
    assert.strictEqual(
      costMicroUsd("gpt-5-mini", tokens(100, 1_000, 0)),
      costMicroUsd("gpt-5-mini", tokens(100, 100, 0))
    )
  })

  it("are zero for the offline engine and its placeholders", () => {
    assert.strictEqual(costMicroUsd("offline-retrieval.v1", MILLION), 0)
    assert.strictEqual(LIST_PRICES.imageMicroUsd("offline-placeholder.v1", "square"), 0)
    assert.strictEqual(LIST_PRICES.sourceOf("offline-retrieval.v1"), "free")
  })

  it("mark an unpriced model, and treat it as a small model rather than an expensive one", () => {
    assert.strictEqual(LIST_PRICES.sourceOf("somebody/new-model"), "assumed")
    assert.strictEqual(costMicroUsd("somebody/new-model", MILLION), costMicroUsd("gpt-5-mini", MILLION))
  })

  it("are zero for models on this machine, whatever their names, unless they are priced", () => {
    const local = makePrices({ isLocal: true, configured: { "gpt-5": "list", llama: { input: 1, output: 2 } } })
    for (const model of ["llama3.1", "gpt-5-mini", "toString"])
      assert.deepStrictEqual([local.sourceOf(model), local.costMicroUsd(model, MILLION)], ["free", 0], model)
    assert.strictEqual(local.transcriptionMicroUsd("whisper-1", 60), 0)
    assert.strictEqual(local.imageMicroUsd("gpt-image-1", "square"), 0)
    assert.strictEqual(local.costMicroUsd("gpt-5", MILLION), costMicroUsd("gpt-5", MILLION))
    assert.strictEqual(local.costMicroUsd("llama", tokens(1_000_000, 1_000_000, 1_000_000)), 3_000_000)
  })

  it("include reference pictures by the list, but not where a picture is free or has its own price", () => {
    const priceOf = (prices: typeof LIST_PRICES, model = "gpt-image-1") =>
      prices.imageMicroUsd(model, "square", 4) - prices.imageMicroUsd(model, "square")
    assert.strictEqual(priceOf(LIST_PRICES), 16_000)
    assert.strictEqual(priceOf(makePrices({ isLocal: true })), 0)
    assert.strictEqual(priceOf(makePrices({ configured: { "gpt-image-1": { image: 0.01 } } })), 0)
  })

  it("tell of pictures and voice, too, whether they are known", () => {
    const prices = makePrices({ configured: { "my-painter": { image: 0.02 }, "my-ear": { minute: 0.6 } } })
    const sources = (model: string) => [prices.imageSourceOf(model), prices.transcriptionSourceOf(model)]
    assert.deepStrictEqual(["my-painter", "my-ear", "dall-e-2", "whisper-1", "unknown"].map(sources), [
      ["configured", "assumed"],
      ["assumed", "configured"],
      ["list", "assumed"],
      ["assumed", "list"],
      ["assumed", "assumed"]
    ])
    assert.strictEqual(makePrices({ isLocal: true }).imageSourceOf("unknown"), "free")
  })

  it("include configured prices before the built-in list, under their own version", () => {
    const configured = makePrices({
      configured: {
        "gpt-5-mini": { input: 1, cached_input: 0.5, output: 3 },
        "my-painter": { image: 0.02 },
        "my-ear": { minute: 0.6 }
      }
    })
    assert.strictEqual(
      configured.costMicroUsd("gpt-5-mini-2025-08-07", tokens(1_000_000, 400_000, 1_000_000)),
      600_000 + 200_000 + 3_000_000
    )
    assert.strictEqual(configured.sourceOf("gpt-5-mini"), "configured")
    assert.strictEqual(configured.imageMicroUsd("my-painter", "portrait"), 20_000)
    assert.strictEqual(configured.transcriptionMicroUsd("my-ear", 30), 300_000)
    assert.notStrictEqual(configured.version, LIST_PRICES.version)
    assert.strictEqual(
      makePrices({ configured: { b: "list", a: "list" } }).version,
      makePrices({ configured: { a: "list", b: "list" } }).version
    )
  })
})

describe("a model address", () => {
  it.each([
    "http://localhost:11434/v1",
    "http://127.0.0.1:1/v1",
    "http://[::1]:8000/v1",
    "http://10.1.2.3/v1",
    "http://192.168.1.5:8000/v1",
    "http://172.16.0.1/v1",
    "http://[fd00::1]/v1",
    "http://[::ffff:127.0.0.1]/v1",
    "http://ollama:11434/v1",
    "http://host.docker.internal:11434/v1",
    "http://gpu.lan/v1",
    "http://box.local/v1"
  ])("is local: %s", (url) => assert.isTrue(isLocalUrl(url)))

  it.each([
    "https://api.openai.com/v1",
    "http://8.8.8.8/v1",
    "https://localhost.example.org/v1",
    "http://172.32.0.1/v1",
    "http://[2606:4700::1111]/v1",
    "https://local.example.com/v1"
  ])("is public: %s", (url) => assert.isFalse(isLocalUrl(url)))
})

describe("a reservation", () => {
  const cast = { model: "gpt-5-mini", analyzeModel: "gpt-5-nano", analyzes: true, maxTokens: 4_000 }
  const reserve = reserving(LIST_PRICES, cast)

  it("grows with the message, with its form in a prompt, and with the character", () => {
    const short = totalOf(reserve("fast", "Hi"))
    assert.isAbove(
      totalOf(reserve("fast", "x".repeat(30_000))),
      short + costMicroUsd("gpt-5-mini", tokens(30_000, 0, 0))
    )
    assert.isAbove(totalOf(reserve("fast", "<".repeat(30_000))), totalOf(reserve("fast", "x".repeat(150_000))))
    assert.isAbove(totalOf(reserve("fast", "\u6c34".repeat(10_000))), totalOf(reserve("fast", "x".repeat(29_000))))
    assert.isAbove(totalOf(reserve("fast", "Hi"), 200_000), short)
  })

  it("is larger in deep mode, and includes memory extraction, but not for a turn without a message", () => {
    const [fast, deep, proactive] = [reserve("fast", "Hi"), reserve("deep", "Hi"), reserve("proactive", "")]
    assert.isAbove(deep.turn, fast.turn)
    assert.isAbove(fast.reading, 0)
    assert.strictEqual(proactive.reading, 0)
  })

  it("includes the embedding of the longest message, in any mode", () => {
    const embedding = reserving(LIST_PRICES, { ...cast, embedModel: "text-embedding-3-large" })
    const most = costMicroUsd("text-embedding-3-large", tokens(6_000, 0, 0))
    for (const kind of ["fast", "deep", "proactive"] as const) {
      assert.isAtLeast(embedding(kind, "Hi").turn, reserve(kind, "Hi").turn + most)
      assert.strictEqual(embedding(kind, "Hi").reading, reserve(kind, "Hi").reading)
    }
  })

  it("is zero if models cost nothing", () => {
    assert.deepStrictEqual(reserving(makePrices({ isLocal: true }), cast)("deep", "x".repeat(30_000)), {
      turn: 0,
      reading: 0,
      perCharacterMegabyte: 0
    })
  })
})
