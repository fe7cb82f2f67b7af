import * as Effect from "effect/Effect"
import { Writer } from "#pipeline/generation/Writer.ts"
import { assess } from "#pipeline/readiness/assess.ts"
import { Assets } from "#src/db/character/Assets.ts"
import { Characters, type StoredCharacter } from "#src/db/character/Characters.ts"
import { Probes } from "#src/db/research/Probes.ts"
import { engineKind } from "#src/model/engineNames.ts"
import { ruleChecks } from "./ruleChecks.ts"

/** Assesses a character by rules, stores a new result, and returns it with the latest live probe. */
export const readinessOf = Effect.fnUntraced(function* (appId: string, character: StoredCharacter) {
  const { slug, version } = character
  const probes = yield* Probes
  const { engine, model } = yield* Writer
  const [contradictions, probe, hasPrimaryAsset] = yield* Effect.all(
    [
      probes.contradictions(appId, slug, version),
      probes.latest(appId, slug),
      Assets.use((assets) => assets.hasPrimary(appId, slug))
    ],
    { concurrency: 3 }
  )
  const { status, score, checks } = assess(yield* ruleChecks(appId, character), {
    contradictions,
    hasPrimaryAsset,
    engine: { live: engineKind(engine) === "live", model }
  })
  if (status !== character.readiness)
    yield* Characters.use((characters) => characters.noteReadiness(appId, slug, version, status))
  return { status, score, checks, probe }
})
