import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { SessionWorld } from "./World.ts"

/**
 * Port: the character's world, as a turn's session knows it. A failure is an empty world: a reply must not depend on
 * it.
 */
export class WorldStore extends Context.Service<
  WorldStore,
  {
    readonly look: (turn: Turn) => Effect.Effect<{ readonly world: SessionWorld; readonly failed: boolean }>
  }
>()("pipeline/world/WorldStore") {}
