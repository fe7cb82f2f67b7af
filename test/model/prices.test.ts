import { assert, describe, it } from "@effect/vitest"
import { AROUND_MAX_CHARS } from "#pipeline/generation/prompt.ts"
import { costMicroUsd, tokensIn, worstCaseMicroUsd } from "#src/model/prices.ts"

const tokens = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({ inputTokens, cachedInputTokens, outputTokens })

describe("prices", () => {
  it("charges fresh input, cached input and output each at its own price", () => {
    assert.strictEqual(costMicroUsd("gpt-5-mini", tokens(1_000_000, 400_000, 100_000)), 150_000 + 10_000 + 200_000)
  })

  it("rounds up to a whole micro-dollar, so that nothing used is free", () => {
    assert.strictEqual(costMicroUsd("gpt-5-nano", tokens(1, 0, 0)), 1)
    assert.strictEqual(costMicroUsd("gpt-5-nano", tokens(0, 0, 0)), 0)
  })

  it("charges a dated release like its family", () => {
    assert.strictEqual(costMicroUsd("gpt-5-mini-2025-08-07", tokens(1_000, 0, 1_000)), costMicroUsd("gpt-5-mini", tokens(1_000, 0, 1_000)))
  })

  it("charges a model it does not know more than a small one", () => {
    assert.isAbove(costMicroUsd("llama3.2", tokens(1_000, 0, 1_000)), costMicroUsd("gpt-5-mini", tokens(1_000, 0, 1_000)))
  })

  it("never charges less than nothing when more is cached than was sent", () => {
    assert.strictEqual(costMicroUsd("gpt-5-mini", tokens(100, 1_000, 0)), costMicroUsd("gpt-5-mini", tokens(100, 100, 0)))
  })

  it("gives the offline engine a small price", () => {
    const cost = worstCaseMicroUsd("offline-retrieval.v1", "fast")
    assert.isAbove(cost, 0)
    assert.isBelow(cost, worstCaseMicroUsd("gpt-5-nano", "fast"))
  })

  it("holds the planned calls of each mode", () => {
    assert.strictEqual(worstCaseMicroUsd("gpt-5-mini", "fast"), (300 + 300) + 2 * (875 + 750 + 400) + (625 + 700))
    assert.strictEqual(worstCaseMicroUsd("gpt-5-mini", "deep"), worstCaseMicroUsd("gpt-5-mini", "fast") + (625 + 500) + (750 + 400))
  })

  it("holds what the fullest world and its sources add to both drafts", () => {
    const [kind, drafts] = ["fast", 2] as const
    const without = tokens(3_500 * drafts, 0, 200 * drafts)
    const full = tokens((3_500 + tokensIn(AROUND_MAX_CHARS)) * drafts, 0, 200 * drafts)
    const beside = worstCaseMicroUsd("gpt-5-mini", kind) - costMicroUsd("gpt-5-mini", full)
    assert.strictEqual(beside, (300 + 300) + (625 + 700))
    assert.isAbove(costMicroUsd("gpt-5-mini", full), costMicroUsd("gpt-5-mini", without))
  })

  it("holds at least what each planned call then costs", () => {
    assert.isAtLeast(worstCaseMicroUsd("gpt-5-mini", "fast"), costMicroUsd("gpt-5-mini", tokens(3_500, 0, 200)))
  })
})
