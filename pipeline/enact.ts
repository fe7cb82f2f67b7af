import * as Effect from "effect/Effect"
import { type Fault, Outcome } from "./domain/Turn.ts"
import type { Trail } from "./Trail.ts"

/** Ends a turn as its sender in the sandbox has asked: no model is called, and what comes after is as after any other. */
export const enact = Effect.fnUntraced(function*(fault: Fault, trail: Trail) {
  trail.skip("generation", `sandbox_${fault}`)
  switch (fault) {
    case "generation_failed":
    case "timed_out":
      return Outcome.cases.Failed.make({ reason: fault })
    case "withhold":
      return Outcome.cases.Withheld.make({})
    case "exit":
      return Outcome.cases.Exited.make({ reasonCode: "sandbox_fault", bubbles: [] })
    case "stall":
      return yield* Effect.never
  }
})
