import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EvidenceStore } from "#pipeline/retrieval/EvidenceStore.ts"
import { Evidence } from "./Evidence.ts"

/** How much of a message's words a piece must have to bear on it. */
const LEAST_SHARE = 0.4
/** A reply does not wait longer for its sources. */
const WITHIN = "3 seconds"

/** What sources say, in PostgreSQL. */
export const layer = Layer.effect(
  EvidenceStore,
  Effect.gen(function* () {
    const evidence = yield* Evidence
    return {
      look: ({ turn, terms, limit }) =>
        evidence
          .search({ appId: turn.appId, slug: turn.character.slug }, { terms, leastShare: LEAST_SHARE, limit })
          .pipe(
            Effect.map((found) => ({
              found: found.map(({ evidence_id: id, text, title }) => ({ id, text, title })),
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
