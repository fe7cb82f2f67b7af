import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EMPTY_WORLD } from "#pipeline/world/World.ts"
import { WorldStore } from "#pipeline/world/WorldStore.ts"
import { Worlds } from "./Worlds.ts"

/** The world around a character, from its tables. */
export const layer = Layer.effect(
  WorldStore,
  Effect.gen(function* () {
    const worlds = yield* Worlds
    return WorldStore.of({
      look: ({ appId, sessionId, character: { slug } }) =>
        worlds.look({ appId, slug, sessionId }).pipe(
          Effect.map((world) => ({ world: world ?? EMPTY_WORLD, failed: false })),
          Effect.catchTag("DatabaseError", (error) =>
            Effect.as(Effect.logWarning("character world could not be read", { reason: error.message }), {
              world: EMPTY_WORLD,
              failed: true
            })
          )
        )
    })
  })
)
