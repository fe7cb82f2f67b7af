import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { askAll } from "./answerSets.ts"

describe("questions that the character's own lines answer", () => {
  it.effect.each([
    ["development", 0.75, 0.05],
    ["held-out", 0.55, 0.15]
  ] as const)("are answered, and rarely deflected (%s)", ([half, answered, deflected]) =>
    Effect.gen(function* () {
      const asked = yield* askAll(half)
      const share = (verdict: string) => asked.filter((one) => one.verdict === verdict).length / asked.length
      assert.isAtLeast(share("answered"), answered)
      assert.isAtMost(share("deflected"), deflected)
    })
  )
})
