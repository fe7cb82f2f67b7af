import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Courier } from "#channels/Courier.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"

/** Finds lanes of which the couriers were not notified. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const courier = yield* Courier
    const membership = yield* Membership
    const sweeps = yield* SharedSweeps
    yield* sweeps.add(courier.sweep)
    yield* membership.onPulse(({ holds_lanes, ready_lanes }) =>
      Effect.gen(function* () {
        if (holds_lanes) yield* courier.releaseStrays
        if (ready_lanes) yield* courier.wake
      })
    )
  })
)
