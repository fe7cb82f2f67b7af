interface Tokens {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
}

/** Placeholder until the price table arrives: the nominal price of the offline engine, whatever the model. */
export const costMicroUsd = (_model: string, { inputTokens, outputTokens }: Tokens): number => Math.ceil(inputTokens * 0.01 + outputTokens * 0.04)
export const worstCaseMicroUsd = (_model: string, mode: "fast" | "deep"): number => mode === "fast" ? 1000 : 2000
