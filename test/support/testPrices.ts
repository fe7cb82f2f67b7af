/**
 * For MODEL_PRICES in tests: fake models are asked on loopback, where models cost nothing unless they are priced, and
 * so does the offline engine. The models as the list has them; the offline engine for very little, so that budgets and
 * ledgers are tried without a model.
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
