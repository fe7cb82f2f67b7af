/**
 * MODEL_PRICES for tests. Fake models are on loopback, where models are free unless they have a price, and so is the
 * offline engine. Here the models have list prices, and the offline engine a very low price, so that budgets and
 * ledgers can be tested without a model.
 */
export const TEST_PRICES = JSON.stringify({
  ...Object.fromEntries(
    ["gpt-5-mini", "gpt-5-nano", "gpt-image-1", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "whisper-1"].map(
      (model) => [model, "list"]
    )
  ),
  "offline-retrieval.v1": { input: 0.01, output: 0.04 },
  "offline-placeholder.v1": { image: 0.0001 }
})
