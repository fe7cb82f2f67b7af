import { type Fault, Outcome } from "./domain/Turn.ts"
import type { TurnTrace } from "./TurnTrace.ts"

/**
 * Ends a turn as its sender in the sandbox requested. No model is called, and everything after the outcome is as usual.
 */
export const simulateFault = (fault: Fault, trace: TurnTrace): Outcome => {
  trace.skip("generation", `sandbox_${fault}`)
  switch (fault) {
    case "generation_failed":
      return Outcome.cases.Failed.make({ reason: "generation_failed" })
    // A turn that stalls was postponed until its deadline has passed.
    case "timed_out":
    case "stall":
      return Outcome.cases.Failed.make({ reason: "timed_out" })
    case "withhold":
      return Outcome.cases.Withheld.make({})
    case "exit":
      return Outcome.cases.Exited.make({ reasonCode: "sandbox_fault", bubbles: [] })
  }
}
