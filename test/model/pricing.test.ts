import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { pricing } from "#src/composition/pricing.ts"
import { Prices } from "#src/model/prices.ts"
import { Settings } from "#src/settings/Settings.ts"

/** The models that the log names at the start with these settings. */
const warnedOf = (env: Record<string, string>) => {
  const logged: Array<unknown> = []
  const settings = Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))
  return Effect.as(Prices, logged).pipe(
    Effect.provide(pricing.pipe(Layer.provide(settings))),
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(message))])),
    Effect.map((messages) => messages.flatMap((message) => JSON.stringify(message).match(/(?<="model":")[^"]+/g) ?? []))
  )
}

const MODELS = {
  OPENAI_API_KEY: "sk-test",
  OPENAI_BASE_URL: "https://models.example.com/v1",
  OPENAI_MODEL: "big-new",
  OPENAI_ANALYZE_MODEL: "small-new",
  OPENAI_EMBED_MODEL: "vector-new",
  OPENAI_IMAGE_MODEL: "painter-new",
  OPENAI_TRANSCRIBE_MODEL: "ear-new"
}

describe("at the start", () => {
  it.effect("every model without a known price is reported, also those for embeddings, pictures and voice", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warnedOf(MODELS), ["big-new", "small-new", "vector-new", "ear-new", "painter-new"])
      assert.deepStrictEqual(yield* warnedOf({ ...MODELS, OPENAI_BASE_URL: "http://localhost:8080/v1" }), [])
      const prices = {
        "big-new": "list",
        "small-new": { input: 1, output: 2 },
        "vector-new": { input: 0.01, output: 0 },
        "painter-new": { image: 0.01 },
        "ear-new": { minute: 0.01 }
      }
      assert.deepStrictEqual(yield* warnedOf({ ...MODELS, MODEL_PRICES: JSON.stringify(prices) }), ["big-new"])
    })
  )
})
