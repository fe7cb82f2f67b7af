import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { Evidence } from "./Evidence.ts"

/** The share of a message's words that a piece has to contain to be relevant. */
const MIN_SHARE = 0.4
/** Maximum time that a reply waits for its sources. */
const WITHIN = "3 seconds"

/** What sources say, from PostgreSQL. */
export const layer = Layer.effect(
  EvidenceStore,
  Effect.gen(function* () {
    const evidence = yield* Evidence
    return {
      look: ({ turn, terms, limit }) =>
        evidence.search({ appId: turn.appId, slug: turn.character.slug }, { terms, leastShare: MIN_SHARE, limit }).pipe(
          Effect.map((found) => ({
            found: found.map(({ evidence_id: id, text, title, unverified }) => ({
              id,
              text,
              title,
              ...(unverified && { unverified })
            })),
            failed: false
          })),
          Effect.timeout(WITHIN),
          Effect.catch((error) =>
            Effect.as(Effect.logWarning("evidence search failed", { reason: error.message }), {
              found: [],
              failed: true
            })
          )
        )
    }
  })
)
