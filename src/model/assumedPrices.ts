import * as Context from "effect/Context"

/** What a model is paid for. */
export type ModelUse = "text" | "embeddings" | "pictures" | "voice"

/** The uses for which this process has a model without a known price. What it books for them is an assumption. */
export const AssumedPrices = Context.Reference<ReadonlySet<ModelUse>>("src/model/AssumedPrices", {
  defaultValue: () => new Set()
})
