import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { ProactiveDecisions } from "#src/db/proactive/ProactiveDecisions.ts"
import { ProactivePolicies } from "#src/db/proactive/ProactivePolicies.ts"
import { ScheduledMessages } from "#src/db/proactive/ScheduledMessages.ts"
import { Prices } from "#src/model/prices.ts"
import { ConfiguredModels, reserving } from "#src/model/reservation.ts"

/** Decides whether characters write first. */
export const proactiveDecisions = Layer.unwrap(
  Effect.gen(function* () {
    return ProactiveDecisions.layer({ reserve: reserving(yield* Prices, yield* ConfiguredModels) })
  })
).pipe(Layer.provideMerge(CharacterVersions.layer))

/** Services that routes use. */
export const serving = Layer.mergeAll(proactiveDecisions, ProactivePolicies.layer, ScheduledMessages.layer)
