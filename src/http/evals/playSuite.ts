import * as Effect from "effect/Effect"
import type * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Characters } from "#src/db/character/Characters.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { beginEvalRun } from "./beginEvalRun.ts"
import type { RunCreate } from "./evalRunSchemas.ts"
import { findEvalRun } from "./findEvalRun.ts"
import { characterNotFound, versionNotFound } from "#src/http/character/characterErrors.ts"
import { about } from "#src/http/server/about.ts"
import { evalSuiteNotFound } from "./evalErrors.ts"

/** Starts a run of a suite. Uses the newest version of its character unless one is named. */
export const playSuite = Effect.fnUntraced(function* (appId: string, id: string, asked: z.output<typeof RunCreate>) {
  const { character_version, reply_mode, engine, repeats, seed, baseline_run_id = null, max_cost_usd } = asked
  const suite = isId("evs", id) ? yield* EvalSuites.use((suites) => suites.get(appId, id)) : undefined
  if (suite === undefined) return yield* evalSuiteNotFound
  const character = yield* Characters.use((characters) => characters.get(appId, suite.character_slug))
  if (character === undefined) return yield* characterNotFound
  if (character_version !== undefined && character_version > character.version)
    return yield* versionNotFound.about("body.character_version")
  if (baseline_run_id !== null) yield* findEvalRun(appId, baseline_run_id).pipe(about("body.baseline_run_id"))
  const { suite_id, character_slug, cases, gates } = suite
  return yield* beginEvalRun(appId, {
    suite_id,
    character_slug,
    character_version: character_version ?? character.version,
    reply_mode,
    engine,
    repeats,
    seed,
    cases,
    gates,
    baseline_run_id,
    regrade_of: null,
    max_cost_usd
  })
})
