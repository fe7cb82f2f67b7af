import * as Schema from "effect/Schema"
import { Character } from "../domain/Character.ts"
import { greetingBubbles } from "../domain/greeting.ts"
import { conductChecks } from "./conductChecks.ts"
import { loreChecks } from "./loreChecks.ts"
import {
  type Check,
  check,
  type Finding,
  passed,
  type ReadinessStatus,
  scoreOf,
  skipped,
  statusOf
} from "./Readiness.ts"
import { safetyChecks } from "./safetyChecks.ts"
import { voiceChecks } from "./voiceChecks.ts"

/** What is known about a character apart from its profile. */
export interface Surroundings {
  /** Contradictions that a model found. Null: no model has checked this version. */
  readonly contradictions: ReadonlyArray<Finding> | null
  /** Whether it has a primary picture. Null: unknown. */
  readonly hasPrimaryAsset: boolean | null
  /** The engine that writes the replies. Null: unknown. */
  readonly engine: { readonly live: boolean; readonly model: string } | null
}
export const NO_SURROUNDINGS: Surroundings = { contradictions: null, hasPrimaryAsset: null, engine: null }

export interface Assessment {
  readonly status: ReadinessStatus
  /** From 0 to 1. */
  readonly score: number
  readonly checks: ReadonlyArray<Check>
}

const decode = Schema.decodeUnknownSync(Character)
const Rating = Schema.Struct({
  safety: Schema.Struct({ content_rating: Schema.Literals(["general", "teen", "mature"]) })
})
const isRated = Schema.is(Rating)

const PROBE = "POST /v1/characters/{slug}/readiness/probe"

const surroundingChecks = ({ contradictions, hasPrimaryAsset, engine }: Surroundings): ReadonlyArray<Check> => [
  contradictions === null
    ? skipped(
        "bio_world_contradiction",
        engine?.live === false ? "No model is configured for this check." : "No model has checked this version yet.",
        engine?.live === false ? "" : `${PROBE} runs the check.`
      )
    : check("bio_world_contradiction", contradictions[0], "A model found no contradictions."),
  hasPrimaryAsset === null
    ? skipped("assets_primary", "The pictures of the character are not available here.")
    : check(
        "assets_primary",
        hasPrimaryAsset
          ? null
          : {
              path: null,
              message: "The character has no primary picture.",
              fix: "Add one with POST /v1/characters/{slug}/assets and is_primary: true."
            },
        "The character has a primary picture."
      ),
  engine === null
    ? skipped("provider_available", "The engine that writes the replies is not available here.")
    : engine.live
      ? passed("provider_available", `Replies are written by ${engine.model}.`)
      : check(
          "provider_available",
          {
            path: null,
            message: "No model is configured. The offline engine (offline-retrieval.v1) replies with authored lines.",
            fix: "Ask the operator to set OPENAI_API_KEY or OPENAI_BASE_URL."
          },
          ""
        )
]

/** What rules alone find in a profile. The same profile gives the same findings. */
export interface RuleChecks {
  readonly told: ReadonlyArray<Check>
  readonly conduct: ReadonlyArray<Check>
}

/**
 * Checks a stored profile by rules. The largest take a tenth of a second, so it may stop in between, and the result is
 * worth caching.
 */
export function* byRules(slug: string, profile: object): Generator<void, RuleChecks> {
  yield
  const character = decode({ ...profile, slug })
  const greeting = greetingBubbles(profile, 0)
  yield
  const voice = voiceChecks(character, greeting)
  yield
  const lore = loreChecks(character)
  yield
  const rating = isRated(profile) ? profile.safety.content_rating : "general"
  return {
    told: [...voice, ...lore],
    conduct: [...(yield* safetyChecks(character, greeting, rating)), ...conductChecks(character)]
  }
}

/** Combines what the rules found with what is known apart from the profile. */
export const assess = ({ told, conduct }: RuleChecks, surroundings: Surroundings = NO_SURROUNDINGS): Assessment => {
  const [contradiction, ...rest] = surroundingChecks(surroundings)
  const checks = [...told, ...(contradiction === undefined ? [] : [contradiction]), ...conduct, ...rest]
  return { status: statusOf(checks), score: scoreOf(checks), checks }
}
